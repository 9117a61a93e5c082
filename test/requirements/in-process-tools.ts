import type { Section } from './requirement.ts';

/** A. In-process tools */
export const inProcessTools: Section<'A'> = {
  A1: {
    promise: 'a tool is one object; its input may be Zod, any Standard Schema or JSON Schema, and types its arguments',
    tests: [
      'src/sources/local/define-tool.test.ts > schemas of a tool > validate arguments: Zod',
      'src/sources/local/define-tool.types.test.ts > Zod types the arguments, after defaults and transforms',
      'src/sources/local/define-tool.types.test.ts > Valibot types the arguments',
      'src/sources/local/define-tool.types.test.ts > a JSON Schema literal types the arguments, without "as const"',
      'src/sources/local/define-tool.types.test.ts > wrong use is a type error',
    ],
  },
  A2: {
    promise: 'a handler gets the arguments and a context: session, principal, signal, deadline, progress, state',
    tests: [
      'src/pipeline/pipeline.test.ts > handler context > has session, principal, call id and progress, and state for each session and server',
      'src/pipeline/pipeline.test.ts > timeouts and cancellation > the deadline of the handler comes from tool, server or box, in that order',
      'src/pipeline/pipeline.test.ts > timeouts and cancellation > a handler that hangs is timed out and its signal aborted; other calls continue',
    ],
  },
  A3: {
    promise: 'whatever a handler returns or throws becomes an outcome, never a crash',
    tests: [
      'src/pipeline/pipeline.test.ts > handler results > a string, a number, an object, content blocks and a full result complete the call',
      'src/pipeline/pipeline.test.ts > handler results > a throw, a rejection and a thrown value that is not an Error fail the call with the message',
      'src/pipeline/pipeline.test.ts > handler results > results that JSON cannot represent fail the call, and the message has their path',
      'src/pipeline/pipeline.test.ts > handler results > a result of 200 MB fails the call and names the limit, as text and as structured content',
      'src/pipeline/pipeline.test.ts > names and arguments of calls > any value as arguments leads to an outcome and one journal entry',
    ],
  },
  A4: {
    promise: 'many local servers, each enabled or disabled as a whole',
    tests: [
      'src/sources/local/local-server.test.ts > several local servers > can have tools of the same name',
      'src/sources/local/local-server.test.ts > several local servers > can be disabled and enabled as a whole',
    ],
  },
  A5: {
    promise: 'the built-in server `signalbox` has every tool it lists, each tested without an SDK',
    tests: [
      'src/sources/local/builtin/builtin-server.test.ts > ping returns "pong" with the time and the server',
      'src/sources/local/builtin/builtin-server.test.ts > serverInfo returns product, version and port, without the uptime by default',
      'src/sources/local/builtin/builtin-server.test.ts > readResult > returns a page of the caller’s own result, with the offset of the next',
      'src/sources/local/builtin/session-tools.test.ts > sessionCount > counts the caller’s sessions and Claude Code’s transcripts of a directory',
      'src/sources/local/builtin/session-tools.test.ts > sessionCount > uses the directory of the session, or the default directory, by default',
      'test/e2e/cli-sessions.test.ts > sessions over HTTP > with Claude > claude-cli: get_session_count counts its own sessions and other transcripts of Claude Code once each',
      'src/sources/local/builtin/session-tools.test.ts > listSessions > returns the caller’s sessions page by page, without owners',
      'src/sources/local/builtin/session-tools.test.ts > listActiveSessions > returns the caller’s sessions that run or wait',
      'src/sources/local/builtin/session-tools.test.ts > sessionDetails > rejects sessions of others and unknown sessions with the same message',
      'src/sources/local/builtin/configuration-tools.test.ts > getConfig > returns the whole configuration, or the value at a path',
      'src/sources/local/builtin/configuration-tools.test.ts > setConfig > rejects settings that could run code, loosen control or reveal secrets, and says who may set them',
      'src/host/box/configuration-tools.test.ts > the configuration tools > get_config returns references and no secrets',
      'src/host/box/configuration-tools.test.ts > the configuration tools > set_config asks, changes the file, is recorded, and can be undone byte for byte',
      'src/sources/local/builtin/job-tools.test.ts > createJob > creates a job for the owner of the session, with agent and directory of the session by default',
      'src/sources/local/builtin/job-tools.test.ts > listJobs > returns the jobs of the caller, and all jobs to humans',
      'src/sources/local/builtin/job-tools.test.ts > deleteJob > deletes a job of the caller, and its undo restores it',
      'src/sources/local/builtin/disclosure-tools.test.ts > searchTools > returns name, first sentence and arguments of matching tools, best first',
      'src/sources/local/builtin/disclosure-tools.test.ts > describeTool > returns the parts that a call needs; for an unknown tool, the error names the closest match',
      'src/sources/local/builtin/disclosure-tools.test.ts > call_tool > rejects arguments that name no tool, with the problem',
      'src/sources/local/builtin/caller-scope.test.ts > callerScopeOf > returns the owner of the session for an agent inside that session',
      'src/sources/local/builtin/builtin-server.test.ts > the built-in server > is mounted by default as "signalbox", with tools that only read',
      'src/host/daemon/open-schedules.test.ts > the built-in tools of sessions and jobs > are all available to an agent in a session',
      'src/host/daemon/open-schedules.test.ts > the built-in tools of sessions and jobs > show only the sessions of the owner of the session',
      'src/host/daemon/open-schedules.test.ts > the built-in tools of sessions and jobs > create an approved job for the owner of the session; undo of the call deletes the job',
    ],
  },
  A6: {
    promise:
      'a hanging handler is timed out while other calls go on; an isolated one can be killed even when it burns CPU',
    tests: [
      'src/pipeline/pipeline.test.ts > timeouts and cancellation > a handler that hangs is timed out and its signal aborted; other calls continue',
      'src/sources/local/isolate/isolate.test.ts > an endless loop is killed when the signal aborts, while timers of the main thread run',
      'src/sources/local/isolate/isolate.test.ts > a worker is killed when work that a handler left behind exhausts memory, and the process survives',
      'src/pipeline/stages/execute.test.ts > an isolated handler in an infinite loop is timed out by the pipeline; other calls continue',
    ],
  },
  A7: {
    promise: 'tools are added, replaced and removed while running, and every surface sees it',
    tests: [
      'src/sources/local/local-server.test.ts > tools of a local server > can be added, replaced and removed at runtime, effective for the next call',
      'src/sources/local/local-server.test.ts > tools of a local server > emit CatalogChanged once for simultaneous changes',
      'src/surfaces/mcp/clients.test.ts > a client of SDK 2 (legacy) > reads and completes content, and is notified of changed resources and tools',
      'src/surfaces/mcp/clients.test.ts > a client of SDK 2 (modern) > reads and completes content, and is notified of changed resources and tools',
      'src/runtimes/claude/sdk/claude-runtime.test.ts > runtime claude > shows a changed catalog to the model',
      'src/runtimes/model/model-runtime.test.ts > runtime model, OpenAI responses > shows a changed catalog to the model',
    ],
  },
  A8: {
    promise: 'a tool object carries all about itself; AI SDK and Claude Agent SDK tools are taken as they are',
    tests: [
      'src/sources/local/define-tool.test.ts > members of a tool > are all part of the definition',
      'src/sources/local/foreign-tools.test.ts > tools of three SDKs in one server > are called the same way',
      'src/sources/local/foreign-tools.test.ts > tools of three SDKs in one server > are not modified',
      'src/sources/local/foreign-tools.test.ts > AI SDK tools > keep their provider options, and `strict` for the providers that have it',
      'src/sources/local/foreign-tools.test.ts > AI SDK tools > expose only the return value of toModelOutput, and no other field of their output',
      'src/sources/local/define-tool.test.ts > members of a tool > include provider options',
    ],
  },
  A9: {
    promise:
      'a handler lists and reads the resources of connected servers that its caller’s profile shows, in the caller’s name',
    tests: [
      'src/pipeline/handler/tool-resources.test.ts > resources in the context of a handler > are listed and read on behalf of the caller, and reads are recorded',
      'src/pipeline/handler/tool-resources.test.ts > resources in the context of a handler > are limited to the caller’s profile, whatever server and URI a handler names',
      'src/pipeline/handler/tool-resources.test.ts > resources in the context of a handler > cannot be read after the call has ended',
      'src/pipeline/handler/tool-resources.test.ts > resources in the context of a handler > are not read any further when the call ends',
    ],
  },
  A10: {
    promise:
      'the tools of a module are replaced when one of its files is edited, without a restart; an invalid edit leaves them unchanged, and running calls end with the old code',
    tests: [
      'test/e2e/cli-module-reload.test.ts > tool module that is edited while the server runs > is reloaded, also after an edit of an imported file; running calls end with the old code',
      'test/e2e/cli-module-reload.test.ts > tool module that is edited while the server runs > with an error leaves the tools unchanged and prints the reason; once fixed, it is reloaded',
      'test/e2e/cli-module-reload.test.ts > tool module that is edited while the server runs > of CommonJS files is reloaded as well',
      'test/e2e/cli-module-reload.test.ts > tool module that is edited while the server runs > notifies MCP clients of the changed list',
    ],
  },
};
