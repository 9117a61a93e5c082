import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { raceAbort } from '../../../core/async/light-abort-signal.ts';
import { text } from '../../../core/tools/content.ts';
import type { ProcessGroup } from '../../../process/process-group.ts';
import { RecentLines } from '../../../process/recent-lines.ts';
import type { Turn, TurnEvent } from '../../runtime.ts';
import type { ClaudeCodeOptions } from './claude-options.ts';
import type { ClaudeMessage, ServerStatus } from './claude-message.ts';
import { PermissionGate } from './permission-gate.ts';
import { ClaudeEventMapper, type TurnResult } from './claude-event-mapper.ts';
import { ToolCallEvents } from './tool-call-events.ts';
import { claudeToolListing } from '../../../surfaces/claude/tool-listing.ts';
import { type ClaudeToolServer, type RunServerCall, createToolServers } from '../../../surfaces/claude/tool-server.ts';
import { type ProviderTools, restoreArguments } from '../../../surfaces/providers/provider-tools.ts';

const maxInterruptMs = 3000;

/** One turn in Claude Code, independent of the transport: its tool servers, its permissions and its events. */
export class ClaudeTurn {
  readonly servers: ReadonlyMap<string, ClaudeToolServer>;
  readonly gate: PermissionGate;
  /**
   * Matches the tools that Claude Code calls hooks for: all except the tools of the box, which the box decides itself. A hook costs
   * some milliseconds for each call.
   */
  readonly hookMatcher: string;
  /** Resolves with the result of the turn, or with the error that prevented one. */
  readonly result: Promise<TurnResult>;
  /** The standard error of Claude Code. */
  readonly errorLines = new RecentLines();
  readonly #finish: (result: TurnResult) => void;
  readonly #emit: (event: TurnEvent) => void;
  readonly #turn: Turn;
  readonly #signal: AbortSignal;
  readonly #calls: ToolCallEvents;
  readonly #events: ClaudeEventMapper;
  readonly #running = new Set<Promise<unknown>>();
  readonly #over = new AbortController();

  constructor(turn: Turn, options: ClaudeCodeOptions, signal: AbortSignal, emit: (event: TurnEvent) => void) {
    const { promise, resolve } = Promise.withResolvers<TurnResult>();
    this.result = promise;
    this.#finish = resolve;
    this.#turn = turn;
    this.#signal = signal;
    this.#emit = emit;
    // Listed once, because calls are pinned to the last listing, which must be the one that the model sees.
    const listing = claudeToolListing(turn.tools.list(), options.toolSearch === true);
    this.#calls = new ToolCallEvents(emit, (name) => listing.byName.get(name)?.definition.id);
    this.#events = new ClaudeEventMapper(emit, this.#calls, signal);
    const over = AbortSignal.any([signal, this.#over.signal]);
    this.servers = createToolServers(listing, turn.serverContent, this.#callRunner(listing, over));
    this.hookMatcher = `^(?!mcp__(?:${[...this.servers.keys()].join('|')})__)`;
    this.gate = new PermissionGate({
      turn,
      signal: over,
      calls: this.#calls,
      isMounted: (server) => this.servers.has(server),
      isPassthrough: (server) => Object.hasOwn(options.passthrough?.mcpServers ?? {}, server),
      data: options.data,
    });
  }

  /** Handles a message of Claude Code. */
  handle(message: ClaudeMessage): void {
    const result = this.#events.handle(message);
    if (result !== undefined) this.#finish(result);
    if (message.type === 'system' && message.subtype === 'init') this.#begin(message);
  }

  /** Ends the turn with an error, unless it has ended. */
  fail(code: string, message: string): void {
    this.#finish({ reason: 'error', error: { code, message } });
  }

  /** Ends the turn with an error of the process and its last lines of standard error, unless it has ended. */
  crash(message: string): void {
    const last = this.errorLines.all().slice(-5);
    this.fail('runtime-failed', [message, ...last].join('\n'));
  }

  /** Collects the standard error of the process. */
  watch({ child }: ProcessGroup): void {
    child.stderr.setEncoding('utf8').on('data', (piece: string) => this.errorLines.write(piece));
    // A write error is followed by the exit of the process.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
  }

  /** Waits for the result. After an interrupt, waits only briefly, so that Claude Code can write its transcript. */
  async resultOrInterrupt(interrupt: () => Promise<unknown>): Promise<TurnResult> {
    const result = await raceAbort(() => this.result, this.#signal).catch(() => undefined);
    if (result !== undefined) return result;
    const deadline = new AbortController();
    const late = wait(maxInterruptMs, undefined, { signal: deadline.signal, ref: false }).catch(() => undefined);
    await Promise.race([Promise.all([interrupt(), this.result]).catch(() => undefined), late]);
    deadline.abort();
    return { reason: 'interrupted' };
  }

  /** Emits the end of the turn after all of its calls have ended. */
  async close({ reason, error }: TurnResult): Promise<void> {
    this.#over.abort(new DOMException('the turn is over', 'AbortError'));
    await Promise.allSettled([this.gate.close(), ...this.#running]);
    for (const id of this.#calls.openCallIds()) {
      this.#calls.inputComplete(id, '', {});
      this.#calls.end(id, { outcome: 'cancelled', content: [text('the turn ended before the call did')] });
    }
    if (error !== undefined) this.#emit({ type: 'error', ...error });
    this.#emit({ type: 'done', reason });
  }

  /** Reports the servers. Fails the turn when one is missing, because the model would silently work without its tools. */
  #begin({ model, mcp_servers = [], tools = [] }: ClaudeMessage): void {
    const known = new Map(mcp_servers.map((server) => [server.name, server]));
    this.#emit({
      type: 'status',
      ...(model === undefined ? {} : { model }),
      servers: mcp_servers.map((server) => statusOf(server, tools)),
    });
    const missing = [...this.servers.keys()].filter((name) => known.get(name)?.status !== 'connected');
    if (missing.length === 0) return;
    const states = missing.map((name) => `"${name}" (${known.get(name)?.status ?? 'missing'})`);
    this.fail('server-missing', `the turn was ended: Claude Code did not connect to the servers ${states.join(', ')}`);
  }

  #callRunner({ byName }: ProviderTools, over: AbortSignal): RunServerCall {
    return async ({ name, args, toolUseId: toolCallId = randomUUID(), signal }) => {
      const tool = byName.get(name);
      // The pipeline refuses a tool that was not listed.
      const call = this.#turn.tools.call(tool?.definition.name ?? name, restoreArguments(tool, args), {
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
