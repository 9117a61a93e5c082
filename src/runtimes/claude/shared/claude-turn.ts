import { text } from '../../../core/tools/content.ts';
import { serverContent, serversWithContent } from '../../../surfaces/server-content.ts';
import type { Turn, TurnEvent } from '../../runtime.ts';
import type { ClaudeCodeOptions } from './claude-options.ts';
import type { ClaudeMessage, ServerStatus } from './claude-message.ts';
import { PermissionGate } from './permission-gate.ts';
import { ClaudeEventMapper, type TurnResult } from './claude-event-mapper.ts';
import { ToolCallEvents } from './tool-call-events.ts';
import { noTools, toolListing } from '../../../surfaces/claude/tool-listing.ts';
import { type MakeCall, ToolServer } from '../../../surfaces/claude/tool-server.ts';

type Reason = Extract<TurnEvent, { type: 'done' }>['reason'];

/** One turn in Claude Code, however Claude Code is spoken to: what it hears, what it may do, and what is told of it. */
export class ClaudeTurn {
  readonly servers: ReadonlyMap<string, ToolServer>;
  readonly gate: PermissionGate;
  /**
   * Which tools Claude Code calls hooks for: all but those of the box, which are decided there. A hook costs it some
   * milliseconds, for every call.
   */
  readonly hookMatcher: string;
  /** Resolves with the turn's result, or with what made one impossible. */
  readonly result: Promise<TurnResult>;
  readonly #finish: (result: TurnResult) => void;
  readonly #tell: (event: TurnEvent) => void;
  readonly #turn: Turn;
  readonly #calls: ToolCallEvents;
  readonly #telling: ClaudeEventMapper;
  readonly #running = new Set<Promise<unknown>>();
  readonly #over = new AbortController();

  constructor(turn: Turn, options: ClaudeCodeOptions, signal: AbortSignal, tell: (event: TurnEvent) => void) {
    const { promise, resolve } = Promise.withResolvers<TurnResult>();
    this.result = promise;
    this.#finish = resolve;
    this.#turn = turn;
    this.#tell = tell;
    // Listed once: calls are pinned to what was listed last, and that must be what the model was shown.
    const { servers, ids } = toolListing(turn.tools.list(), options.toolSearch !== true);
    this.#calls = new ToolCallEvents(tell, (name) => ids.get(name));
    this.#telling = new ClaudeEventMapper(tell, this.#calls, signal);
    const over = AbortSignal.any([signal, this.#over.signal]);
    const call = this.#maker(over);
    const { serverContent: content } = turn;
    const names = new Set([...servers.keys(), ...serversWithContent(content)]);
    this.servers = new Map(
      [...names].map((name) => [
        name,
        new ToolServer(name, servers.get(name) ?? noTools, call, serverContent(name, content)),
      ]),
    );
    this.hookMatcher = `^(?!mcp__(?:${[...names].join('|')})__)`;
    this.gate = new PermissionGate({
      turn,
      signal: over,
      calls: this.#calls,
      isMounted: (server) => this.servers.has(server),
      isPassthrough: (server) => Object.hasOwn(options.passthrough?.mcpServers ?? {}, server),
      data: options.data,
    });
  }

  /** Hears what Claude Code says. */
  handle(message: ClaudeMessage): void {
    const result = this.#telling.handle(message);
    if (result !== undefined) this.#finish(result);
    if (message.type === 'system' && message.subtype === 'init') this.#begin(message);
  }

  /** Ends the turn as failed, unless it has ended. */
  fail(code: string, message: string): void {
    this.#finish({ reason: 'error', error: { code, message } });
  }

  /** Tells how the turn ended, once nothing of it is under way any more. */
  async close(reason: Reason, error?: TurnResult['error']): Promise<void> {
    this.#over.abort(new DOMException('the turn is over', 'AbortError'));
    await Promise.allSettled([this.gate.close(), ...this.#running]);
    for (const id of this.#calls.openCallIds()) {
      this.#calls.inputComplete(id, '', {});
      this.#calls.end(id, { outcome: 'cancelled', content: [text('the turn ended before the call did')] });
    }
    if (error !== undefined) this.#tell({ type: 'error', ...error });
    this.#tell({ type: 'done', reason });
  }

  /** A model that cannot see the tools would do without them, and nobody would know why. */
  #begin({ model, mcp_servers = [], tools = [] }: ClaudeMessage): void {
    const known = new Map(mcp_servers.map((server) => [server.name, server]));
    this.#tell({
      type: 'status',
      ...(model === undefined ? {} : { model }),
      servers: mcp_servers.map((server) => statusOf(server, tools)),
    });
    const missing = [...this.servers.keys()].filter((name) => known.get(name)?.status !== 'connected');
    if (missing.length === 0) return;
    const states = missing.map((name) => `"${name}" (${known.get(name)?.status ?? 'not there'})`);
    this.fail('server-missing', `the turn was ended: Claude Code did not take over the tools of ${states.join(', ')}`);
  }

  #maker(over: AbortSignal): MakeCall {
    return async (tool, args, toolCallId, signal) => {
      const call = this.#turn.tools.call(tool, args, {
        toolCallId,
        signal: AbortSignal.any([over, signal]),
        onProgress: (progress) => this.#calls.progress(toolCallId, progress),
      });
      this.#running.add(call);
      try {
        const result = await call;
        this.#calls.end(toolCallId, result);
        return result;
      } finally {
        this.#running.delete(call);
      }
    };
  }
}

function statusOf({ name, status, error }: ServerStatus, tools: readonly string[]): ServerStatus & { tools: number } {
  const count = tools.filter((tool) => tool.startsWith(`mcp__${name}__`)).length;
  return { name, status, tools: count, ...(error === undefined ? {} : { error }) };
}
