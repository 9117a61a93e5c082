import type { Section } from './requirement.ts';

/** B. External MCP servers */
export const externalServers: Section<'B'> = {
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
      'test/faults/mcp-processes.test.ts > processes of MCP servers > 1,000 servers that fork a grandchild, started and ended in every way: no orphan, no zombie',
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
};
