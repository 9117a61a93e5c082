import type { Source, SourceState, SourceTool } from '../catalog/source.ts';
import type { CallOptions, CallResult, Principal, ToolReference } from '../core/calls/call.ts';
import { type ToolResult, renderContent, text } from '../core/tools/content.ts';
import { messageOf } from '../core/errors.ts';
import { type JsonObject, isJsonObject } from '../core/json/json.ts';
import { toAbortSignal } from '../core/async/light-abort-signal.ts';
import type { OwnCall, OwnOutcome, OwnTool } from './runtime.ts';

/** What takes a call: a Signalbox. */
export type Caller = (tool: ToolReference, args: unknown, options: CallOptions) => Promise<CallResult>;

/** The tools that a runtime runs itself, as a server of the box: mount it, and its calls go through the one pipeline. */
export interface OwnTools extends Source {
  /** Takes one call through the pipeline, up to where the runtime may run it. `workspace` is where it may write, for undo. */
  begin(
    call: Caller,
    tool: OwnTool,
    args: JsonObject,
    options: OwnCallOptions,
    workspace: readonly string[],
  ): Promise<OwnCall>;
}

/** What is said of a call; who makes it must be. */
export interface OwnCallOptions extends CallOptions {
  readonly principal: Principal;
}

/** A call that waits for its permission, and then for its end. */
interface OwnRun {
  readonly workspace: readonly string[];
  readonly permitted: PromiseWithResolvers<JsonObject>;
  readonly ended: PromiseWithResolvers<OwnOutcome>;
}

/** Handler and `begin` find each other by an object that nobody else has: the principal, made anew for each call. */
type Begun = WeakMap<Principal, OwnRun>;

// The runtime has limits of its own for what it runs; these only keep a forgotten call from staying for ever.
const limits = { timeoutMs: 24 * 60 * 60 * 1000, concurrency: 10_000 };
const longestReason = 4000;

/**
 * Makes the server for a runtime's own tools. They are not listed: only the runtime can run them, so nobody else is told of them.
 *
 * @example
 * const own = ownTools('claude');
 * box.mount(own);
 */
export function ownTools(server: string): OwnTools {
  const begun: Begun = new WeakMap();
  const tools = new Map<string, SourceTool>();
  const listeners = new Set<() => void>();
  let state: SourceState = { tools: [] };

  const declare = (tool: OwnTool): void => {
    if (tools.get(tool.name)?.effect === tool.effect) return;
    tools.set(tool.name, sourceTool(server, tool, begun));
    state = { tools: [...tools.values()] };
    for (const listener of listeners) listener();
  };

  return {
    server,
    adapter: `runtime:${server}`,
    limits,
    unlisted: true,
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => Promise.resolve(),
    begin(call, tool, args, options, workspace) {
      declare(tool);
      const made = (own: OwnCallOptions): Promise<CallResult> =>
        call({ server, tool: tool.name }, args, { ...options, ...own });
      return begin(begun, made, options, workspace);
    },
  };
}

async function begin(
  begun: Begun,
  call: (own: OwnCallOptions) => Promise<CallResult>,
  { principal: caller, signal: interrupt }: OwnCallOptions,
  workspace: readonly string[],
): Promise<OwnCall> {
  const cancelled = new AbortController();
  const signal =
    interrupt === undefined ? cancelled.signal : AbortSignal.any([toAbortSignal(interrupt), cancelled.signal]);
  const principal = { ...caller };
  const own: OwnRun = { workspace, permitted: Promise.withResolvers(), ended: Promise.withResolvers() };
  begun.set(principal, own);
  const result = call({ principal, signal });
  const first = await Promise.race([
    own.permitted.promise.then((args) => ({ arguments: args })),
    result.then(
      ({ content }) => ({ refused: renderContent(content, longestReason) }),
      (error: unknown) => ({ refused: messageOf(error) }),
    ),
  ]);
  if ('refused' in first) return { allowed: false, reason: first.refused };
  return {
    allowed: true,
    arguments: first.arguments,
    async end(outcome) {
      if (outcome.outcome === 'cancelled') cancelled.abort();
      own.ended.resolve(outcome);
      return await result;
    },
  };
}

function sourceTool(server: string, { name, effect, uncounted = false }: OwnTool, begun: Begun): SourceTool {
  return {
    tool: name,
    description: `${name}, as ${server} runs it itself.`,
    inputSchema: { type: 'object' },
    annotations: {},
    effect,
    idempotent: false,
    labels: [],
    notices: [],
    uncounted,
    workspaceOf: (principal) => begun.get(principal)?.workspace,
    parse: (args) => ({ ok: true, value: args }),
    async run(args, { principal }): Promise<ToolResult> {
      const own = begun.get(principal);
      if (own === undefined) throw new Error(`${name} is run by ${server} itself and cannot be called from elsewhere`);
      own.permitted.resolve(isJsonObject(args) ? args : {});
      const { outcome, output } = await own.ended.promise;
      return { content: [text(output)], isError: outcome !== 'completed' };
    },
  };
}
