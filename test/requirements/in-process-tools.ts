import type { Section } from './requirement.ts';

/** A. In-process tools */
export const inProcessTools: Section<'A'> = {
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
      'src/pipeline/pipeline.test.ts > the context > tells session, principal, call id, progress and keeps state by session and server',
      'src/pipeline/pipeline.test.ts > time and cancellation > the handler knows its deadline, from tool, server and box in that order',
      'src/pipeline/pipeline.test.ts > time and cancellation > a handler that hangs is timed out and told so; other calls go on',
    ],
  },
  A3: {
    promise: 'whatever a handler returns or throws becomes an outcome, never a crash',
    tests: [
      'src/pipeline/pipeline.test.ts > what a handler may do > a string, number, object, content blocks and a full result all complete',
      'src/pipeline/pipeline.test.ts > what a handler may do > a throw, a rejection, and throwing something that is no error become failed with the message',
      'src/pipeline/pipeline.test.ts > what a handler may do > results that JSON cannot carry become failed, and the message says where',
      'src/pipeline/pipeline.test.ts > what a handler may do > a result of 200 MB becomes failed with the limit, as text and as structure',
      'src/pipeline/pipeline.test.ts > names and arguments > any JSON value as arguments never crashes the pipeline: there is an outcome and one record',
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
      'src/sources/local/builtin/server-info.test.ts > ping answers "pong" with the time and the server it came to',
      'src/sources/local/builtin/server-info.test.ts > tells product, version and port, and no uptime unless asked',
      'src/sources/local/builtin/read-result.test.ts > read_result > reads a page of the caller’s own result, and says where it goes on',
      'src/sources/local/builtin/session-tools.test.ts > get_session_count > counts the caller’s own sessions and Claude Code’s transcripts of one directory',
      'src/sources/local/builtin/session-tools.test.ts > get_session_count > counts in the directory of the session, or in the default one, where none is given',
      'test/e2e/cli-sessions.test.ts > sessions over HTTP > with Claude > claude-cli: get_session_count counts its own sessions and other transcripts of Claude Code once each',
      'src/sources/local/builtin/session-tools.test.ts > list_sessions > lists the caller’s own, page by page, without saying whose they are',
      'src/sources/local/builtin/session-tools.test.ts > list_active_sessions > lists those of the caller that run or wait',
      'src/sources/local/builtin/session-tools.test.ts > get_session_details > refuses another’s in the same words as one that is not there',
      'src/sources/local/builtin/configuration-tools.test.ts > get_config > tells the whole, or what stands at a path',
      'src/sources/local/builtin/configuration-tools.test.ts > set_config > refuses whatever could run code, loosen control or show secrets, and says who can',
      'src/host/box/configuration-tools.test.ts > agents and the configuration > get_config shows references and no secrets',
      'src/host/box/configuration-tools.test.ts > agents and the configuration > set_config asks, changes the file, is recorded, and is undone byte for byte',
      'src/sources/local/builtin/job-tools.test.ts > create_job > makes a job for the owner of the session, with its agent and directory unless told otherwise',
      'src/sources/local/builtin/job-tools.test.ts > list_jobs > lists the caller’s own, and to humans all',
      'src/sources/local/builtin/job-tools.test.ts > delete_job > deletes one of the caller’s own, and its undo brings it back',
      'src/sources/local/builtin/disclosure-tools.test.ts > search_tools > tells the name, the first sentence and the arguments of what fits, the best one first',
      'src/sources/local/builtin/disclosure-tools.test.ts > describe_tool > tells what is needed to call a tool, and what is near where there is none',
      'src/sources/local/builtin/disclosure-tools.test.ts > call_tool > says what is wrong with a call that names no tool',
      'src/sources/local/builtin/caller-scope.test.ts > whoever calls a built-in tool > acts for the owner of the session it works in',
      'src/sources/local/builtin/builtin-server.test.ts > the built-in server > is there unasked, under the name signalbox, and every tool of it only reads',
      'src/host/daemon/open-schedules.test.ts > an agent in a session > finds every built-in tool',
      'src/host/daemon/open-schedules.test.ts > an agent in a session > sees the sessions of its owner, and nothing of anybody else’s',
      'src/host/daemon/open-schedules.test.ts > an agent in a session > makes a job that a human approved, for its owner; undoing the call takes the job back',
    ],
  },
  A6: {
    promise:
      'a hanging handler is timed out while other calls go on; an isolated one can be killed even when it burns CPU',
    tests: [
      'src/pipeline/pipeline.test.ts > time and cancellation > a handler that hangs is timed out and told so; other calls go on',
      'src/sources/local/isolate/isolate.test.ts > A6: an endless loop is killed when the signal aborts, while timers here go on',
      'src/sources/local/isolate/isolate.test.ts > A6: memory hogged by what a handler left behind ends its worker, not the process',
      'src/pipeline/stages/execute.test.ts > an isolated handler that loops without end is timed out through the pipeline; other calls go on',
    ],
  },
  A7: {
    promise: 'tools are added, replaced and removed while running, and every surface sees it',
    tests: [
      'src/sources/local/local-server.test.ts > tools while the box runs > are added, replaced and removed, and every call sees the last state',
      'src/sources/local/local-server.test.ts > tools while the box runs > tell of their change by CatalogChanged, once for changes made together',
      'src/surfaces/mcp/clients.test.ts > a client of SDK 2 (legacy) > reads and completes content, and is notified of changed resources and tools',
      'src/surfaces/mcp/clients.test.ts > a client of SDK 2 (modern) > reads and completes content, and is notified of changed resources and tools',
      'src/runtimes/claude/sdk/claude-runtime.test.ts > runtime claude > shows a changed catalog to the model',
      'src/runtimes/model/model-runtime.test.ts > runtime model, OpenAI responses > shows a changed catalog to the model',
    ],
  },
  A8: {
    promise: 'a tool object carries all about itself; AI SDK and Claude Agent SDK tools are taken as they are',
    tests: [
      'src/sources/local/define-tool.test.ts > schemas with more to them > everything a tool says about itself is told',
      'src/sources/local/foreign-tools.test.ts > tools of three SDKs in one server, each as it is > are called the same way',
      'src/sources/local/foreign-tools.test.ts > tools of three SDKs in one server, each as it is > are left as they were',
      'src/sources/local/foreign-tools.test.ts > AI SDK tools > keep their provider options, and `strict` for the providers that have it',
      'src/sources/local/foreign-tools.test.ts > AI SDK tools > show only what toModelOutput returns: no other field of the output leaves the tool',
      'src/sources/local/define-tool.test.ts > schemas with more to them > options for a provider reach the definition',
    ],
  },
  A9: {
    promise:
      'a handler lists and reads the resources of connected servers that its caller’s profile shows, in the caller’s name',
    tests: [
      'src/pipeline/handler/tool-resources.test.ts > the resources of connected servers, in a handler > are listed and read in the name of the caller, and recorded',
      'src/pipeline/handler/tool-resources.test.ts > the resources of connected servers, in a handler > are only those of the caller’s profile, whichever server and address a handler names',
      'src/pipeline/handler/tool-resources.test.ts > the resources of connected servers, in a handler > cannot be read any more when the call is over',
      'src/pipeline/handler/tool-resources.test.ts > the resources of connected servers, in a handler > are not waited for longer than the call',
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
