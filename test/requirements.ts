/** A test that shows a promise: `path/to/file.test.ts > describe > test name`. */
export type TestReference = `${string}.test.ts > ${string}`;

/** The id of a requirement: section and number. */
export type RequirementId = `${'A' | 'B' | 'C' | 'D' | 'E' | 'F' | 'G'}${number}`;

/** Something a user was promised, and the tests that show it. */
export interface Requirement {
  readonly promise: string;
  /** Open while empty. Every test named here must exist and pass, or the run fails. */
  readonly tests: readonly TestReference[];
  /** What the tests do not show yet; the promise stays open until it is gone. */
  readonly missing?: string;
}

/** Every promise of Signalbox. `npm run requirements` prints which are still open. */
export const requirements: Readonly<Record<RequirementId, Requirement>> = {
  // A. In-process tools
  A1: {
    promise: 'a tool is one object; its input may be Zod, any Standard Schema or JSON Schema, and types its arguments',
    tests: [
      'src/sources/local/define-tool.test.ts > the same tool by each kind of schema > Zod',
      'src/sources/local/define-tool.types.test.ts > Zod types the arguments, after defaults and transforms',
      'src/sources/local/define-tool.types.test.ts > Valibot types the arguments',
      'src/sources/local/define-tool.types.test.ts > a JSON Schema literal types the arguments, without "as const"',
      'src/sources/local/define-tool.types.test.ts > wrong use is an error',
    ],
  },
  A2: {
    promise: 'a handler gets the arguments and a context: session, principal, signal, deadline, progress, state',
    tests: [
      'src/call/outcomes.test.ts > the context > tells session, principal, call id, progress and keeps state by session and server',
      'src/call/outcomes.test.ts > time and cancellation > the handler knows its deadline, from tool, server and box in that order',
      'src/call/outcomes.test.ts > time and cancellation > a handler that hangs is timed out and told so; other calls go on',
    ],
  },
  A3: {
    promise: 'whatever a handler returns or throws becomes an outcome, never a crash',
    tests: [
      'src/call/outcomes.test.ts > what a handler may do > a string, number, object, content blocks and a full result all complete',
      'src/call/outcomes.test.ts > what a handler may do > a throw, a rejection, and throwing something that is no error become failed with the message',
      'src/call/outcomes.test.ts > what a handler may do > results that JSON cannot carry become failed, and the message says where',
      'src/call/outcomes.test.ts > what a handler may do > a result of 200 MB becomes failed with the limit, as text and as structure',
      'src/call/outcomes.test.ts > names and arguments > any JSON value as arguments never crashes the pipeline: there is an outcome and one record',
    ],
  },
  A4: {
    promise: 'many local servers, each enabled or disabled as a whole',
    tests: [
      'src/sources/local/local-server.test.ts > many local servers > stand side by side, each tool under its own server, same names or not',
      'src/sources/local/local-server.test.ts > many local servers > each can be disabled and enabled as a whole',
    ],
  },
  A5: {
    promise: 'the built-in server `signalbox` has every tool it lists, each tested without an SDK',
    tests: [
      'src/sources/local/builtin/ping.test.ts > ping answers "pong" with the time and the server it came to',
      'src/sources/local/builtin/server-info.test.ts > tells product, version and port, and no uptime unless asked',
      'src/sources/local/builtin/builtin-server.test.ts > the built-in server > is there unasked, under the name signalbox, and every tool of it only reads',
    ],
    missing: 'the tools that need sessions, configuration and schedules',
  },
  A6: {
    promise:
      'a hanging handler is timed out while other calls go on; an isolated one can be killed even when it burns CPU',
    tests: [
      'src/call/outcomes.test.ts > time and cancellation > a handler that hangs is timed out and told so; other calls go on',
      'src/sources/local/isolate/isolate.test.ts > A6: an endless loop is killed when the signal aborts, while timers here go on',
      'src/sources/local/isolate/isolate.test.ts > A6: memory hogged by what a handler left behind ends its worker, not the process',
      'src/call/isolated.test.ts > an isolated handler that loops without end is timed out through the pipeline; other calls go on',
    ],
  },
  A7: {
    promise: 'tools are added, replaced and removed while running, and every surface sees it',
    tests: [
      'src/sources/local/local-server.test.ts > tools while the box runs > are added, replaced and removed, and every call sees the last state',
      'src/sources/local/local-server.test.ts > tools while the box runs > tell of their change by CatalogChanged, once for changes made together',
    ],
    missing: 'list_changed to MCP clients',
  },
  A8: {
    promise: 'a tool object carries all about itself; AI SDK and Claude Agent SDK tools are taken as they are',
    tests: [
      'src/sources/local/define-tool.test.ts > schemas with more to them > everything a tool says about itself is told',
      'src/sources/local/foreign-tools.test.ts > tools of three SDKs in one server, each as it is > are called the same way',
      'src/sources/local/foreign-tools.test.ts > tools of three SDKs in one server, each as it is > are left as they were',
    ],
  },

  // B. External MCP servers
  B1: {
    promise: 'stdio, streamable HTTP and SSE, every protocol revision from 2024-11-05 to 2026-07-28',
    tests: [
      'src/sources/mcp/mcp-server.test.ts > a server that is a process > which revision it speaks is found out once',
      'src/sources/mcp/http/http.test.ts > server-everything works over HTTP+SSE and over streamable HTTP',
      'src/sources/mcp/revisions.test.ts > every revision of the protocol is spoken > 2024-11-05',
      'src/sources/mcp/revisions.test.ts > every revision of the protocol is spoken > 2025-03-26',
      'src/sources/mcp/revisions.test.ts > every revision of the protocol is spoken > 2025-06-18',
      'src/sources/mcp/revisions.test.ts > every revision of the protocol is spoken > 2025-11-25',
      'src/sources/mcp/revisions.test.ts > every revision of the protocol is spoken > 2026-07-28',
      'src/cli/configured/file-verdicts.test.ts > verdicts on disk > the second start of a legacy server does not probe it',
      'src/cli/configured/file-verdicts.test.ts > verdicts on disk > the second start of a modern server does not probe it',
    ],
  },
  B2: {
    promise: 'tools, resources and prompts are discovered page by page, and changes are followed',
    tests: [
      'src/sources/mcp/mcp-server.test.ts > a server that is a process > all pages are listed',
      'src/sources/mcp/mcp-server.test.ts > a server that is a process > a server can be looked at without being mounted',
      'src/sources/mcp/mcp-server.test.ts > a server that is a process > a change of its list is followed, and tools that did not change stay the same (legacy)',
      'src/sources/mcp/mcp-server.test.ts > a server that is a process > a change of its list is followed, and tools that did not change stay the same (modern)',
      'src/sources/mcp/content.test.ts > resources and prompts (legacy stdio) > are listed page by page, read, filled in and completed',
      'src/sources/mcp/content.test.ts > resources and prompts (modern http) > are listed page by page, read, filled in and completed',
      'src/sources/mcp/content.test.ts > a change of the resources is followed',
    ],
  },
  B3: {
    promise: 'tools are filtered, renamed, re-described and re-shaped; the remote name still works',
    tests: [
      'src/catalog/transforms/shape-source.test.ts > whatever is allowed, denied and renamed: what is listed can be called and reaches the right tool, the rest cannot',
      'src/catalog/transforms/shape-source.test.ts > the tools block > renames, describes, entitles, sets the effect and provider options, by the new or the own name',
      'src/catalog/transforms/shape-arguments.test.ts > hidden and fixed arguments cannot be overridden by anything a caller gives',
      'src/catalog/transforms/transform-source.test.ts > a transform > says in the catalog what it hides and why',
      'test/e2e/cli-mcp.test.ts > external servers of the configuration > are listed and called, shaped as the configuration says',
    ],
  },
  B4: {
    promise: 'a server’s JSON Schema reaches the model unchanged, and arguments are validated against it',
    tests: [
      'src/catalog/json-schema.test.ts > drafts > 2020-12, said or unsaid: prefixItems, dependentRequired, unevaluatedProperties',
      'src/catalog/json-schema.test.ts > drafts > draft-07, with http or https, with or without "#": items as a list, dependencies',
      'src/sources/local/schema.test.ts > a JSON Schema that does not compile > is told as it is, checks nothing, and is noticed',
      'src/sources/mcp/mcp-server.test.ts > a server that is a process > arguments are checked against its schema; one that does not compile is noticed, and lets everything through',
      'src/sources/mcp/mcp-server.test.ts > a server that is a process > effects come from its annotations, and schemas are passed on as received',
    ],
  },
  B5: {
    promise: 'every tool knows its server; removing a server removes exactly its tools',
    tests: ['src/catalog/catalog.test.ts > servers come and go > removing a server removes exactly its tools'],
  },
  B6: {
    promise: 'crash, hang, dropped stream and expired session are noticed, reconnected, and end calls clearly',
    tests: [
      'src/sources/mcp/mcp-server.test.ts > a server that dies > a read that was under way is tried again, and has failed then; the server comes back by itself',
      'src/sources/mcp/mcp-server.test.ts > a server that dies > the outcome of a call with an effect is unknown, and it is not made again, whatever the server says of itself',
      'src/sources/mcp/mcp-server.test.ts > a server that dies > one that hangs is found out after a call ran out of time, and replaced',
      'src/sources/mcp/mcp-server.test.ts > a server that dies > killed at random under load: every call ends, no effect happens twice, and the catalog is whole again',
      'src/sources/mcp/http/http.test.ts > a session that the server has forgotten is made anew, the call goes through, and the catalog stays',
    ],
  },
  B7: {
    promise: 'one bad server hides no other; the catalog says what is down since when and why',
    tests: [
      'test/e2e/cli-mcp.test.ts > external servers of the configuration > what cannot be reached is down with its reason, and hides no other',
      'src/call/require-servers.test.ts > required servers > a server that is down and required is told with its reason, before anything else is done',
      'src/call/require-servers.test.ts > required servers > one that is still being connected to is waited for; one that is idle is up',
      'src/server/routes/servers.test.ts > a required server > that is down makes the whole not ready, without saying which to those who may not know',
      'test/e2e/cli-mcp.test.ts > external servers of the configuration > a required server that is down: doctor ends with 1 and says so, serve says so',
    ],
    missing: 'sessions, whose turns ask `box.requireServers` before a model is asked',
  },
  B8: {
    promise: 'environment, directory, headers and OAuth are all used; secrets only by reference',
    tests: [
      'test/e2e/cli-mcp.test.ts > external servers of the configuration > a bearer token and headers reach a server on the network',
      'src/config/references.test.ts > references to environment variables > one that is not set is named, with the place that refers to it',
      'test/e2e/cli-secret.test.ts > signalbox secret > a secret set on standard input reaches the header of the server that refers to it, and nothing else',
      'test/e2e/cli-secret.test.ts > signalbox secret > a secret that is missing takes only its server down, with the command to run; doctor tells the same',
      'src/cli/external-transport.test.ts > the secrets of a server > a changed one is used by the next connection, and neither the old nor the new is recorded',
      'src/config/secrets/sealed-files.test.ts > a vault > any change of a kept secret is told with its file and what to do, and it is never taken for missing',
      'test/faults/secret-writers.test.ts > writers of secrets that begin at once and are killed at any moment lose nothing that was kept, and leave nothing broken',
      'src/sources/mcp/http/oauth/oauth.test.ts > a person signs in with the browser, and the tools of the server can be called (modern)',
      'src/sources/mcp/http/oauth/oauth.test.ts > what the provider is asked for is bound to the server: proof, state, resource, in the grant and in its renewal',
      'src/sources/mcp/http/oauth/oauth.test.ts > the metadata of the server is found at its well-known place, too',
      'src/sources/mcp/http/oauth/oauth.test.ts > tokens are renewed > when the server does not take them any more: once for all calls at the same time, with rotation',
      'src/sources/mcp/http/oauth/oauth.test.ts > tokens are renewed > before they expire, without a refusal',
      'src/sources/mcp/http/oauth/oauth.test.ts > what does not fit is refused, and no token is issued > an answer with another state: the browser is told, and the code is not redeemed',
      'src/sources/mcp/http/oauth/oauth.test.ts > what does not fit is refused, and no token is issued > a token endpoint at another address inside',
      'src/sources/mcp/http/oauth/oauth.test.ts > the client > signs in by itself with client credentials, in the way the provider takes',
      'test/e2e/cli-sign-in.test.ts > signing in on the command line > login, call, renewal in another process, logout; no token is in clear anywhere',
    ],
    missing: 'the secret store on a desktop keychain (the kernel keyring stands in for it in the tests)',
  },
  B9: {
    promise: 'no orphan or zombie process after stop, crash or reload; stderr is drained and kept',
    tests: [
      'test/faults/mcp-processes.test.ts > processes of MCP servers > a mounted server that is killed, restarted and closed leaves nothing behind',
      'test/faults/mcp-processes.test.ts > processes of MCP servers > when this process ends without closing anything, its servers end with it',
      'src/sources/mcp/mcp-server.test.ts > a server that is a process > its error output is drained, and the last 200 lines are kept',
      'test/faults/reload-processes.test.ts > a configuration that changes under load: every call ends, none is lost without a reason, and no process or grandchild is left',
      'src/sources/mcp/idle-stop.test.ts > a server that nobody calls > is stopped, keeps its tools, and is started again by the next call, which waits for it',
      'src/server/routes/servers.test.ts > GET /api/servers/{name} > tells how a server outside is doing, and what it wrote last, without secrets',
    ],
    missing: 'the error output in the console',
  },
  B10: {
    promise: 'servers are governed by default; `passthrough` is observed through hooks',
    tests: [
      'src/sources/mcp/governed.test.ts > a mounted server is governed: what it may do is decided, refused where nobody allows it, and recorded',
      'test/e2e/claude-passthrough.test.ts > a server with passthrough > is called by Claude directly, and each call leaves one ToolInvoked with adapter, duration and outcome',
      'test/e2e/claude-passthrough.test.ts > a server with passthrough > is not recorded with trackInvocations: false',
    ],
  },
  B11: {
    promise: '`npm:` shorthand, and import from the configuration of other clients',
    tests: [
      'test/e2e/cli-configure.test.ts > add, disable, enable, remove > a server of each kind, in a file that is made for the first',
      'test/e2e/cli-configure.test.ts > import > takes over the servers of every client, once each, without their secrets and without touching their files',
      'test/e2e/cli-configure.test.ts > import > keeps what the configuration has, comments included, and takes only from the clients that are named',
      'test/e2e/cli-configure.test.ts > import > a broken file is told with its line and skipped; where nobody can be asked, --yes is needed',
      'test/e2e/cli-configure.test.ts > import > permissions: what a client forbids is hidden, what it lets run is proposed as a policy, and written when wanted',
      'test/e2e/cli-mcp.test.ts > external servers of the configuration > a server is started by its npm shorthand, from the installed version and without the network',
    ],
  },
  B12: {
    promise: 'elicitation, sampling, roots, progress, cancellation, logging and completion are relayed',
    tests: [
      'src/sources/mcp/everything.test.ts > the reference server for everything (stdio) > what it asks the user, in a form or on a page, is answered by whoever made the call',
      'src/sources/mcp/everything.test.ts > the reference server for everything (http) > what it asks the user, in a form or on a page, is answered by whoever made the call',
      'src/sources/mcp/everything.test.ts > the reference server for everything (http) > what it asks a model is answered by whoever made the call',
      'src/sources/mcp/everything.test.ts > the reference server for everything (stdio) > it learns the directories, and that they changed',
      'src/sources/mcp/everything.test.ts > the reference server for everything (stdio) > what it says during a call is told to whoever made it',
      'src/sources/mcp/everything.test.ts > the reference server for everything (http) > its resources are read, watched and completed, its prompts filled in',
      'src/sources/mcp/reference-servers.test.ts > the four reference servers, mounted together > progress is relayed, and cancellation reaches the server',
      'src/sources/mcp/relay.test.ts > two callers at once > each is asked and told only what its own call is about, whatever the order (legacy http)',
      'src/sources/mcp/relay.test.ts > two callers at once > each is asked and told only what its own call is about, whatever the order (modern http)',
      'src/sources/mcp/relay.test.ts > two callers at once > each is asked and told only what its own call is about, whatever the order (modern stdio)',
      'src/sources/mcp/relay.test.ts > two callers at once > over one pipe in an older revision, neither is asked what may be the other’s question, and the call says why',
      'src/sources/mcp/relay.test.ts > two callers at once > what is asked for a call that was given up never reaches the next caller',
      'src/sources/mcp/relay.test.ts > a question > that nobody can answer fails the call clearly; who stands in answers for those who cannot (legacy stdio)',
    ],
  },
  B13: {
    promise: '`signalbox.lock` pins tool definitions; a change of meaning blocks the tool until accepted',
    tests: [
      'src/catalog/lock/lock.test.ts > the lock > reordering keys, sets or tools never drifts, and hides nothing',
      'src/catalog/lock/lock.test.ts > the lock > any change of any definition drifts, is told, and hides exactly that tool',
      'test/e2e/cli-lock.test.ts > signalbox.lock > a changed tool is blocked with the difference until it is accepted; no other tool is',
    ],
  },
  B14: {
    promise: 'text shown to a model carries no hidden characters; suspicious definitions are flagged',
    tests: [
      'src/catalog/transforms/sanitized.test.ts > a sanitized tool > has clean names, titles, descriptions and schema descriptions; values stay exact',
      'src/catalog/transforms/sanitized.test.ts > suspicious > is looked for in the schema too, in names and values as well',
      'src/sources/mcp/content.test.ts > lock, transforms and configuration pass them on, their descriptions without hidden characters',
    ],
  },

  // C. Calls under control
  C1: {
    promise: 'every kind of policy works, all must allow, and errors deny',
    tests: [
      'test/policy/agreement.test.ts > the engine agrees with a slow, obvious evaluator on 100,000 random traces',
      'src/policy/policy.test.ts > a decision > deny beats ask beats allow, whatever their order',
      'src/policy/policy.test.ts > a decision > of a rule that cannot be evaluated is deny, with the error, also where the rule would allow',
      'src/policy/policy.test.ts > a decision > reports what rules in shadow mode would have said, and nothing more',
      'src/policy/policy.test.ts > flow rules > a session that has seen private data sends nothing out, whatever it says',
      'src/policy/read-policy.test.ts > a policy > of the documentation can be read, and every rule knows its line',
      'src/policy/read-policy.test.ts > a policy > tells everything that is wrong with it at once, with line, column and the nearest valid key',
      'src/call/policies.test.ts > policies > a deploy is refused until the tests have passed, and result and journal say why alike',
      'src/call/policies.test.ts > policies > calls side by side never get more through than a limit allows',
      'src/call/policies.test.ts > policies > the past is read back from the journal after a restart',
      'src/call/policies.test.ts > policies > can be changed while the box runs; wrong ones change nothing',
      'src/call/policies.test.ts > policies > what is read as private does not leave, whole or encoded, in this session or another of the same principal',
      'src/call/policies.test.ts > a policy in code > can deny, ask and allow, now or later, and is told of results',
      'src/call/policies.test.ts > a policy in code > that fails, or gives no answer, denies',
      'src/call/policies.test.ts > a policy in code > cannot allow what a rule denies',
      'src/cli/configured/configured-box.test.ts > changed rules are in force without a restart, and rules with a mistake leave the old ones in force',
      'test/e2e/cli-policy.test.ts > policy > check tells what is wrong with file, line and column, and ends with 2; call and doctor say the same',
    ],
  },
  C2: {
    promise: 'the permission modes do what the architecture page says',
    tests: [
      'src/policy/permission-mode.test.ts > the permission mode default makes of each decision what the architecture says',
      'src/policy/permission-mode.test.ts > the permission mode acceptEdits makes of each decision what the architecture says',
      'src/policy/permission-mode.test.ts > the permission mode plan makes of each decision what the architecture says',
      'src/policy/permission-mode.test.ts > the permission mode dontAsk makes of each decision what the architecture says',
      'src/policy/permission-mode.test.ts > the permission mode bypassPermissions makes of each decision what the architecture says',
      'src/call/policies.test.ts > permission modes hold for calls: plan only reads, bypassing asks nothing but never beats a deny',
    ],
    missing: 'sessions that have a mode',
  },
  C3: {
    promise: 'an approval is bound to one exact call, single use, expiring, durable, and human',
    tests: [
      'src/call/approvals/approvals.test.ts > an approval > lets exactly one call run: the same one, made again, at once',
      'src/call/approvals/approvals.test.ts > an approval > does not hold for other arguments, another principal, a changed definition or another policy, and says so',
      'src/call/approvals/approvals.test.ts > an approval > survives a restart, asked or approved, and is used up by a run that nobody saw end',
      'src/call/approvals/approvals.test.ts > an approval > expires, whether it was answered or not',
      'src/call/approvals/approvals.test.ts > an approval > shows and binds what the tool really runs with: also what the configuration fills in',
      'src/call/approvals/approvals.test.ts > answers > only humans give them: not the agent that asks, not any other',
      'src/call/approvals/edited-arguments.test.ts > edit, then approve > runs another call with the human’s arguments; the caller gets its result and learns what was edited',
      'src/server/routes/approvals.test.ts > the inbox over HTTP > never lets a token answer, which may be an agent’s',
      'test/faults/approval-races.test.ts > 10000 races of two approvers in two processes, with changed arguments, definitions, policies and restarts: at most one run for each approval, never of another call',
      'test/faults/approval-kills.test.ts > two processes that ask, approve and run the same calls, killed 60 times: one run for each approval that was used, and no other',
    ],
  },
  C4: {
    promise: 'an approval reaches a human wherever they are; the first answer wins and the others are told',
    tests: [
      'src/call/approvals/approvals.test.ts > channels > all are asked at once; the first answer wins and the others are told by the signal',
      'src/call/approvals/approvals.test.ts > answers > the first one wins; the others learn whose it was and when',
      'test/e2e/cli-approvals.test.ts > approvals > a call that waits in one process is answered in another: edited, or denied with a reason',
      'test/e2e/cli-approvals.test.ts > approvals > while the terminal asks, an answer from elsewhere ends the question',
      'src/server/routes/approvals.test.ts > the inbox over HTTP > shows what waits; a yes from a signed-in browser runs the call that waits',
    ],
    missing: 'session events, the console, MCP elicitation and `input_required`, Claude’s permission callback',
  },
  C5: {
    promise: 'intent before effect; a crash in between is `unknown` and nothing with an effect is run twice',
    tests: [
      'test/faults/kill-loop.test.ts > kill -9 in a loop while calls run: acknowledged outcomes are kept, the rest reads unknown, the chain verifies',
      'src/call/idempotency.test.ts > idempotency keys > duplicate deliveries run once, together and one after the other, whatever the order of their properties',
      'test/faults/crash-after-effect.test.ts > 500 crashes between effect and record: every call is unknown, and delivering it again has no second effect',
      'src/call/settle.test.ts > settling a call whose outcome is unknown > is recorded with who and why, shown with the call, and told to later deliveries',
      'src/call/retries.test.ts > retries > a read, or a tool marked idempotent, is tried again when the way to it broke; the record says how often',
      'src/call/retries.test.ts > retries > nothing else is ever tried again: no effect, no error of the tool itself',
    ],
  },
  C6: {
    promise: 'undo restores byte for byte what the call changed, and reports conflicts',
    tests: [
      'src/undo/random-trees.test.ts > undo of shell commands > 1000 random trees changed by random shell commands are restored byte for byte',
      'test/faults/undo-kill.test.ts > kill -9 in the middle of an undo, 25 times, run again: the same result (SIGNALBOX_KILLS for more)',
      'src/undo/undo-engine.test.ts > conflicts > whatever others do to a path after the call is reported and left as it is',
      'src/call/undo-external.test.ts > what a tool of an external server changed in its declared workspace is shown and undone',
    ],
  },
  C7: {
    promise: 'failed, timed-out and cancelled undoable calls are rolled back; compensations run in reverse, once',
    tests: [
      'src/call/undo.test.ts > undoable calls > failed: rolled back by itself, session state too',
      'src/call/undo.test.ts > undoable calls > timed-out: rolled back by itself, session state too',
      'src/call/undo.test.ts > undoable calls > cancelled: rolled back by itself, session state too',
      'src/call/undo.test.ts > undoable calls > parallel calls in one workspace come one after the other, and each is undone without the others',
      'src/call/undo.test.ts > compensations > run in reverse order, once',
    ],
  },
  C8: {
    promise: 'exactly one `ToolInvoked` per call, however it ended, with everything about it',
    tests: [
      'src/call/record.test.ts > ToolInvoked > is written exactly once for every call, however it ended, with everything about it',
      'src/call/record.test.ts > ToolInvoked > the rendered output has at most 1000 characters',
    ],
  },
  C9: {
    promise: 'the journal is append-only, hash-chained, verifiable, exportable and free of secrets; traces and metrics',
    tests: [
      'src/journal/chain.test.ts > hash chain > any edit of any column of any entry is detected',
      'src/journal/chain.test.ts > hash chain > any deletion is detected, at the start, inside and at the end',
      'src/journal/chain.test.ts > hash chain > any reordering is detected',
      'src/call/record.test.ts > secrets > a planted secret never reaches the disk, wherever it appears',
      'src/call/observe.test.ts > telemetry > a call is one span by the GenAI and MCP conventions, and spans of the handler are its children',
      'test/e2e/cli-journal.test.ts > journal > export writes every entry as a line, the oldest first, and ends quietly when nobody reads',
      'test/faults/kill-loop.test.ts > kill -9 in a loop while calls run: acknowledged outcomes are kept, the rest reads unknown, the chain verifies',
    ],
  },
  C10: {
    promise: '`policy backtest` tells which recorded decisions a changed policy would change',
    tests: [
      'test/e2e/cli-policy.test.ts > policy > backtest prints the recorded calls that a changed policy would have decided otherwise',
      'src/server/routes/policies.test.ts > /api/policies > backtests rules on the recorded calls',
    ],
  },
  C11: {
    promise: 'a recorded session replays offline with its recorded results',
    tests: [
      'src/testing/testing.test.ts > a recorded server > is replayed without being reached: the same tools, results and errors',
      'src/testing/testing.test.ts > a recorded server > gives results in the order they were recorded, failures too, and holds no secret',
    ],
    missing: '`replay SESSION` from the journal',
  },
  C12: {
    promise: 'an oversized result becomes a resource to page through; nothing is lost',
    tests: [
      'src/call/large-results.test.ts > oversized results > an agent can page through the whole with read_result; nothing is lost',
      'src/call/large-results.test.ts > oversized results > a result at the limit is handed out as it is, one beyond it as a preview with a link',
    ],
  },
  C13: {
    promise: 'result cache for reads; rate and concurrency limits per server',
    tests: [
      'src/call/server-limits.test.ts > the result of a read > is given out again for the same arguments, in any order of keys, and says so in the record',
      'src/call/server-limits.test.ts > the result of a read > holds until something with an effect ran at that server, also when that failed',
      'src/call/server-limits.test.ts > the result of a read > is not given to another principal or session, and not without the setting',
      'src/call/server-limits.test.ts > the rate limit of a server > lets the calls beyond it wait for their turn',
      'src/call/server-limits.test.ts > the rate limit of a server > fails a call whose turn would come too late, says when to come back, and does not run it',
      'src/call/rate.test.ts > in no span of time do more begin than the limit says, and none waits longer than it must',
      'src/call/outcomes.test.ts > time and cancellation > a server gets no more calls at a time than it takes, in the order they came',
      'src/config/load-configuration.test.ts > a good configuration > says how much a server may take',
    ],
  },
  C14: {
    promise: 'every decision names its rule and the values it looked at, the same everywhere',
    tests: [
      'src/policy/policy.test.ts > a decision > names its rule, the line, the reason and the values the rule looked at',
      'src/call/policies.test.ts > policies > a deploy is refused until the tests have passed, and result and journal say why alike',
      'src/call/policies.test.ts > policies > values in a decision hold no secrets',
      'src/server/routes/policies.test.ts > /api/policies > shows the rules in force, takes other ones, and calls are decided by them and say why',
      'test/e2e/cli-policy.test.ts > policy > explain names rule, line, values, reason and shadow of a call',
    ],
    missing: 'the console',
  },
  C15: {
    promise: 'remembering an approval writes a visible, revocable rule and first shows what it would have let through',
    tests: [
      'src/call/approvals/remembered.test.ts > remembering > first shows which calls on record it would have let through, and which of them a human refused',
      'src/call/approvals/remembered.test.ts > remembering > is visible and revocable: a revoked rule asks again, and the journal has it',
      'src/call/approvals/remembered.test.ts > remembering > for the session: the tool runs in it without a question, in no other',
      'src/call/approvals/remembered.test.ts > remembering > for the arguments, the tool, or the server: so far and no further',
      'test/e2e/cli-approvals.test.ts > approvals > remembering shows what it would have let through, needs a clear yes, is listed and revoked',
    ],
  },

  // D. Agents and sessions
  D1: {
    promise: 'Claude sessions through the Agent SDK: tools in every query, resume, fork, interrupt',
    tests: [],
  },
  D2: {
    promise: 'the permission callback covers built-in and mounted tools alike; built-in calls are journaled',
    tests: [],
  },
  D3: {
    promise: '`claude-cli` speaks the CLI’s control protocol and passes the same suite as the SDK runtime',
    tests: [],
  },
  D4: {
    promise: 'sessions with any model through the AI SDK; the demo model needs no key',
    tests: [],
  },
  D5: {
    promise: 'tool formats for Anthropic, OpenAI and Gemini, there and back',
    tests: [],
  },
  D6: {
    promise: 'sessions are listed, created, renamed, deleted and expire; Claude’s transcripts are its own files',
    tests: [],
  },
  D7: {
    promise: 'HTTP and SSE: a dropped client resumes without gap or duplicate; several clients see the same',
    tests: [],
  },
  D8: {
    promise: 'cron schedules survive a restart and never run twice',
    tests: [],
  },
  D9: {
    promise: 'server health is in `session_status`',
    tests: [],
  },
  D10: {
    promise: 'tool search only where it saves tokens, with the measured break-even',
    tests: [],
  },

  // E. The MCP endpoint
  E1: {
    promise: 'both protocol eras at one URL and over stdio, in any mix of client and server',
    tests: [],
  },
  E2: {
    promise: 'the official conformance suite passes in both roles and both revisions',
    tests: [],
  },
  E3: {
    promise: 'profiles and per-client identity; no reply reaches the wrong client',
    tests: [],
  },
  E4: {
    promise: 'tokens with roles; OAuth 2.1 resource server; tokens never go upstream',
    tests: [],
  },
  E5: {
    promise: 'real clients work: MCP Inspector, the v1 and v2 SDK clients, Claude Code',
    tests: [],
  },

  // F. Console, CLI, first five minutes
  F1: {
    promise: 'the console shows sessions, approvals, catalog, servers, calls, policies and lock',
    tests: [],
  },
  F2: {
    promise: 'the console works by keyboard, screen reader, in light and dark, on a phone’s width',
    tests: [],
  },
  F3: {
    promise: 'the CLI does what interface.md lists, with `--json` and helpful errors',
    tests: [],
  },
  F4: {
    promise: 'from clone to an approved and undone call in five minutes, without a key',
    tests: [],
  },
  F5: {
    promise: 'guide, reference, examples that run in the tests, troubleshooting, changelog',
    tests: [],
  },

  // G. Many machines, faults, attackers
  G1: {
    promise: 'any number of replicas on PostgreSQL; a killed worker’s turn is taken over or ended clearly',
    tests: [],
  },
  G2: {
    promise: 'acknowledged records survive kill -9; a full disk or lost database lets no unjournaled call run',
    tests: [
      'test/faults/kill-loop.test.ts > kill -9 in a loop while calls run: acknowledged outcomes are kept, the rest reads unknown, the chain verifies',
    ],
    missing: 'full disk, lost database, PostgreSQL',
  },
  G3: {
    promise: 'overload is shed early, a sick server slows no other, SIGTERM drains',
    tests: [],
  },
  G4: {
    promise: 'hostile input causes no crash and no stall',
    tests: [],
  },
  G5: {
    promise: 'rebinding, cross-site, forged handles, SSRF, path escape, injection and token confusion are refused',
    tests: [],
  },
};
