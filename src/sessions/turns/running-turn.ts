import { SignalboxError, messageOf } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json/json.ts';
import { principalName } from '../../core/principal.ts';
import type { SessionRecord, TurnRecord } from '../../journal/store/session-store.ts';
import { contentReader } from '../../pipeline/box-content.ts';
import type { TurnEvent } from '../../runtimes/runtime.ts';
import { turnTools } from '../../runtimes/turn-tools.ts';
import type { Agent } from '../agent.ts';
import type { WriteExtras, EventLog } from '../events/event-log.ts';
import type { SessionEventBody, TurnReason } from '../events/session-event.ts';
import { StreamRedactor } from '../events/stream-redactor.ts';
import { toSessionServers } from '../server-status.ts';
import type { SessionBox } from '../session-box.ts';
import { TurnApprovals } from './turn-approvals.ts';
import { type TurnClientOptions, createTurnClient } from './turn-client.ts';
import { TurnElicitations } from './turn-elicitations.ts';
import { TurnQuestions } from './turn-questions.ts';
import { setTimeout as wait } from 'node:timers/promises';

/** The dependencies and the input of a turn. */
interface RunningTurnOptions {
  readonly box: SessionBox;
  readonly log: EventLog;
  readonly agent: Agent;
  /** All configured agents. */
  readonly agents: readonly Agent[];
  readonly session: SessionRecord;
  readonly turn: TurnRecord;
  /** The stored memory of the session, as JSON text. */
  readonly memory: string | undefined;
  /** The time after which a question of the agent expires. */
  readonly questionMs: number;
  /** The time after which a question of a server expires. */
  readonly elicitationMs: number;
  /** Aborted when the process must exit without further waiting. */
  readonly closed: AbortSignal;
  /** Called when the turn starts to wait for a human. */
  onWaits(): void;
}

type Status = Extract<TurnEvent, { type: 'status' }>;

/** The time after an interrupt at which a runtime that does not end is abandoned. */
const abandonAfterMs = 10_000;
/** The number of unwritten events at which the runtime has to wait (backpressure). */
const maxUnwrittenEvents = 64;
const retryMs = 1000;
/** The longest time for which events of a call wait until the runtime announces the call. */
const maxAnnounceDelayMs = 1000;

/** One turn that runs in this process. */
export class RunningTurn {
  readonly approvals: TurnApprovals;
  readonly questions: TurnQuestions;
  readonly elicitations: TurnElicitations;
  readonly #options: RunningTurnOptions;
  readonly #redactor: StreamRedactor;
  readonly #interrupt = new AbortController();
  #status: Status = { type: 'status' };
  #lastServers = '';
  readonly #announcements = new Map<string, PromiseWithResolvers<void>>();
  #isWaiting = false;
  #isAbandoned = false;
  #unwritten = 0;
  #written: Promise<unknown> = Promise.resolve();
  #reason: TurnReason | undefined;
  #failure: { readonly code: string; readonly message: string } | undefined;

  constructor(options: RunningTurnOptions) {
    this.#options = options;
    this.#redactor = new StreamRedactor(options.box);
    const emit = this.#emit;
    const whenAnnounced = (toolCallId: string): Promise<void> => this.#announced(toolCallId);
    const interrupt = this.#interrupt.signal;
    this.questions = new TurnQuestions({ emit, whenAnnounced, interrupt, expireMs: options.questionMs });
    this.elicitations = new TurnElicitations({ emit, whenAnnounced, interrupt, expireMs: options.elicitationMs });
    this.approvals = new TurnApprovals(options.box, emit, whenAnnounced);
  }

  /** Whether the turn waits for a human. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  get id(): string {
    return this.#options.turn.id;
  }

  interrupt(why: string): void {
    this.#interrupt.abort(new DOMException(why, 'AbortError'));
  }

  /** Ends the turn without events, because another process has already ended it as lost. */
  abandon(): void {
    this.#isAbandoned = true;
    this.interrupt('another process ended the turn as lost');
  }

  /** Interrupts the turn because its sender may no longer run it. */
  refuse(why: string): void {
    this.#failure ??= { code: 'turn-refused', message: why };
    this.interrupt(why);
  }

  /** Emits the state of the servers when it has changed. */
  refresh(): void {
    const servers = toSessionServers(this.#options.box.catalog(), this.#status.servers);
    if (JSON.stringify(servers) !== this.#lastServers) this.#emitStatus();
  }

  /** Runs the turn. Resolves when its end is written. */
  async run(): Promise<void> {
    const { turn, agent } = this.#options;
    const { content, id: turnId, by } = turn;
    const isWritten = await this.#writeReliably(
      [{ type: 'user_message', turnId, content, by: principalName(by) }, this.#statusNow()],
      {
        begins: true,
        set: { runtime: agent.runtime.name, ...(agent.model === undefined ? {} : { model: agent.model }) },
      },
    );
    if (!isWritten) return this.approvals.close();
    if (turn.interrupted) this.interrupt('the turn was interrupted before it began');
    try {
      await this.#drive();
    } catch (error) {
      const code = error instanceof SignalboxError ? error.code : 'runtime-failed';
      if (!this.#interrupt.signal.aborted) this.#failure = { code, message: messageOf(error) };
    }
    this.elicitations.close();
    await this.approvals.close();
    const error = this.#failure === undefined ? [] : [{ type: 'error', ...this.#failure } as const];
    const reason = this.#failure === undefined ? (this.#reason ?? 'interrupted') : 'error';
    await this.#writeReliably([...error, { type: 'done', reason }], {
      ends: turn.id,
      waits: false,
      set: { lastTurn: reason },
    });
  }

  async #drive(): Promise<void> {
    const { box, agent, session, turn, memory } = this.#options;
    const { signal } = this.#interrupt;
    signal.throwIfAborted();
    await box.servers.started({ signal, ...(agent.profile === undefined ? {} : { profile: agent.profile }) });
    await box.servers.ready({ signal });
    const { id, cwd, permissionMode, owner } = session;
    const principal = { id: `${owner.id}/${agent.name}`, kind: 'agent' } as const;
    const { elicitations } = this;
    const client: TurnClientOptions = {
      elicitations,
      agent,
      agents: this.#options.agents,
      cwd,
      permissionMode,
      emit: this.#emit,
    };
    const events = agent.runtime.turn({
      session: id,
      content: turn.content,
      cwd,
      permissionMode,
      ...(agent.model === undefined ? {} : { model: agent.model }),
      ...(agent.instructions === undefined ? {} : { instructions: agent.instructions }),
      ...recallMemory(memory, id, agent.runtime.name),
      signal,
      tools: turnTools({
        box,
        own: agent.runtimeTools,
        profile: agent.profile,
        session: id,
        principal,
        cwd,
        permissionMode,
        options: (toolCallId) => ({
          waitMs: Number.POSITIVE_INFINITY,
          approve: (request) => this.approvals.ask(toolCallId, request),
          client: createTurnClient(client, toolCallId),
        }),
      }),
      serverContent: contentReader(box, { profile: agent.profile, session: id, principal }),
      ask: (toolCallId, questions) => this.questions.ask(toolCallId, questions).finally(() => this.#writeWaiting()),
    });
    await this.#forwardAll(events[Symbol.asyncIterator]());
    if (this.#reason === undefined && !signal.aborted)
      throw new Error(`the runtime "${agent.runtime.name}" ended the turn without a reason`);
  }

  async #forwardAll(events: AsyncIterator<TurnEvent>): Promise<void> {
    const abandoned = this.#abandoned();
    try {
      for (;;) {
        const next = await Promise.race([events.next(), abandoned.promise]);
        if (next === undefined || next.done === true) break;
        for (const event of this.#redactor.push(next.value)) this.#handle(event);
        if (this.#unwritten > maxUnwrittenEvents) await this.#written;
      }
    } finally {
      abandoned.stop();
      for (const event of this.#redactor.flush()) this.#handle(event);
    }
    // Not awaited, because an abandoned runtime may never end.
    void Promise.resolve(events.return?.()).catch(() => undefined);
  }

  /** Returns a promise that resolves when an interrupted runtime must be abandoned. */
  #abandoned(): { readonly promise: Promise<undefined>; stop(): void } {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    let timer: NodeJS.Timeout | undefined;
    const start = (): void => void (timer = setTimeout(resolve, abandonAfterMs, undefined));
    const { signal } = this.#interrupt;
    signal.addEventListener('abort', start, { once: true });
    if (signal.aborted) start();
    return {
      promise,
      stop: () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', start);
      },
    };
  }

  #handle(event: TurnEvent): void {
    const { agent, session } = this.#options;
    switch (event.type) {
      case 'status':
        this.#status = { ...this.#status, ...event };
        this.#emitStatus(event.model === undefined ? {} : { set: { model: event.model } });
        break;
      case 'memory': {
        const memory: TurnMemory = { session: session.id, runtime: agent.runtime.name, memory: event.memory };
        this.#write([], { memory: JSON.stringify(memory) });
        break;
      }
      case 'done':
        this.#reason = event.reason;
        break;
      case 'tool_call_end':
        this.#emit(event);
        this.#announcement(event.toolCallId).resolve();
        break;
      case 'text_delta':
      case 'thinking_delta':
      case 'tool_call_start':
      case 'tool_call_delta':
      case 'tool_progress':
      case 'tool_result':
      case 'error':
        this.#emit(event);
    }
  }

  #announcement(toolCallId: string): PromiseWithResolvers<void> {
    const known = this.#announcements.get(toolCallId) ?? Promise.withResolvers<void>();
    this.#announcements.set(toolCallId, known);
    return known;
  }

  /** Resolves when the session's events show the call, which can run before the runtime's events about it are read; at the latest after `maxAnnounceDelayMs`. */
  async #announced(toolCallId: string): Promise<void> {
    const { promise, resolve } = this.#announcement(toolCallId);
    const timer = setTimeout(resolve, maxAnnounceDelayMs);
    await promise;
    clearTimeout(timer);
  }

  readonly #emit = (event: SessionEventBody): void => {
    const waits = this.#changedWaiting(event);
    this.#write([event], waits === undefined ? undefined : { waits });
  };

  /** Returns whether the session waits for a human, when this event changes that. It is written together with the event. */
  #changedWaiting({ type }: SessionEventBody): boolean | undefined {
    if (!/^(?:approval|question|elicitation)_/.test(type)) return undefined;
    const waits = this.approvals.count + this.questions.count + this.elicitations.count > 0;
    if (waits === this.#isWaiting) return undefined;
    this.#isWaiting = waits;
    if (waits) this.#options.onWaits();
    return waits;
  }

  /** Writes the waiting state after a question expired, which emits no event. */
  #writeWaiting(): void {
    const waits = this.#changedWaiting({ type: 'question_answered', toolCallId: '', by: '' });
    if (waits !== undefined) this.#write([], { waits });
  }

  #emitStatus(extras?: WriteExtras): void {
    this.#write([this.#statusNow()], extras);
  }

  #statusNow(): SessionEventBody {
    const { servers: known, model = this.#options.agent.model, costUsd, contextTokens } = this.#status;
    const servers = toSessionServers(this.#options.box.catalog(), known);
    this.#lastServers = JSON.stringify(servers);
    return {
      type: 'session_status',
      ...(model === undefined ? {} : { model }),
      permissionMode: this.#options.session.permissionMode,
      servers,
      ...(costUsd === undefined ? {} : { costUsd }),
      ...(contextTokens === undefined ? {} : { contextTokens }),
    };
  }

  #write(events: readonly SessionEventBody[], extras?: WriteExtras): void {
    if (this.#isAbandoned) return;
    this.#unwritten += 1;
    this.#written = this.#options.log.write(this.#options.session.id, events, extras).then(
      (seq) => {
        this.#unwritten -= 1;
        if (seq === undefined) this.interrupt('the session was deleted');
      },
      (error: unknown) => {
        this.#unwritten -= 1;
        const message = `the turn was ended because its events could not be stored: ${messageOf(error)}`;
        this.#failure ??= { code: 'store-unavailable', message };
        this.interrupt(message);
      },
    );
  }

  /**
   * Writes events that must not be lost, the start and the end of the turn, and retries until it succeeds. Without the end the
   * session would stay in the running state. Resolves with `false` when the process is closing or the session was deleted.
   */
  async #writeReliably(events: readonly SessionEventBody[], extras: WriteExtras): Promise<boolean> {
    const { log, session, closed } = this.#options;
    for (;;) {
      if (this.#isAbandoned) return false;
      try {
        return (await log.write(session.id, events, extras)) !== undefined;
      } catch {
        if (closed.aborted) return false;
        await wait(retryMs, undefined, { signal: closed }).catch(() => undefined);
      }
    }
  }
}

/** The state that a runtime wants back in the next turn, with its session and runtime. */
interface TurnMemory {
  readonly session: string;
  readonly runtime: string;
  readonly memory: JsonValue;
}

/** Returns the memory for a turn. Memory of another runtime is ignored; memory of another session is forked. */
export function recallMemory(
  text: string | undefined,
  session: string,
  runtime: string,
): { readonly memory?: JsonValue; readonly fork?: boolean } {
  if (text === undefined) return {};
  const stored = JSON.parse(text) as TurnMemory;
  if (stored.runtime !== runtime) return {};
  return { memory: stored.memory, ...(stored.session === session ? {} : { fork: true }) };
}
