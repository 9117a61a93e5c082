import { principalName } from '../core/principal.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { contentReader } from '../pipeline/box-content.ts';
import type { SessionRecord, TurnRecord } from '../journal/store/session-store.ts';
import { SignalboxError, messageOf } from '../core/errors.ts';
import type { TurnEvent } from '../runtimes/runtime.ts';
import { turnTools } from '../runtimes/turn-tools.ts';
import type { Agent } from './agent.ts';
import type { Along, EventLog } from './event-log.ts';
import { HeldPieces } from './held-pieces.ts';
import type { SessionBox } from './session-box.ts';
import type { SessionHappening, TurnReason } from './session-event.ts';
import { sessionServers } from './session-servers.ts';
import { TurnApprovals } from './turn-approvals.ts';
import { type TurnClientOptions, turnClient } from './turn-client.ts';
import { TurnElicitations } from './turn-elicitations.ts';
import { type TurnMemory, recallTurn } from './turn-memory.ts';
import { TurnQuestions } from './turn-questions.ts';

/** What a turn is run with. */
export interface TurnParts {
  readonly box: SessionBox;
  readonly log: EventLog;
  readonly agent: Agent;
  /** All configured agents. */
  readonly agents: readonly Agent[];
  readonly session: SessionRecord;
  readonly turn: TurnRecord;
  /** The session's memory as it is kept. */
  readonly memory: string | undefined;
  /** How long a question to the user waits. */
  readonly questionMs: number;
  /** How long a question of a server waits. */
  readonly elicitationMs: number;
  /** Aborted when nothing can be waited for any more. */
  readonly closed: AbortSignal;
  /** It waits for a human now. */
  onWaits(): void;
}

type Status = Extract<TurnEvent, { type: 'status' }>;

/** A runtime that was interrupted and does not end is left behind after this. */
const lastGraceMs = 10_000;
/** So many events may wait to be written before the runtime has to. */
const mostUnwritten = 64;
const retryMs = 1000;
/** How long events of a call wait for the runtime to announce the call. */
const maxAnnounceDelayMs = 1000;

/** One turn that runs in this process. */
export class RunningTurn {
  readonly approvals: TurnApprovals;
  readonly questions: TurnQuestions;
  readonly elicitations: TurnElicitations;
  readonly #parts: TurnParts;
  readonly #pieces: HeldPieces;
  readonly #interrupt = new AbortController();
  #status: Status = { type: 'status' };
  #toldServers = '';
  readonly #announcements = new Map<string, PromiseWithResolvers<void>>();
  #isWaiting = false;
  #isLeft = false;
  #unwritten = 0;
  #written: Promise<unknown> = Promise.resolve();
  #reason: TurnReason | undefined;
  #failure: { readonly code: string; readonly message: string } | undefined;

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#pieces = new HeldPieces(parts.box);
    const tell = this.#tell;
    const whenAnnounced = (toolCallId: string): Promise<void> => this.#announced(toolCallId);
    const interrupt = this.#interrupt.signal;
    this.questions = new TurnQuestions({ tell, whenAnnounced, interrupt, expireMs: parts.questionMs });
    this.elicitations = new TurnElicitations({ tell, whenAnnounced, interrupt, expireMs: parts.elicitationMs });
    this.approvals = new TurnApprovals(parts.box, tell, whenAnnounced);
  }

  /** Whether it waits for a human. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  get id(): string {
    return this.#parts.turn.id;
  }

  interrupt(why: string): void {
    this.#interrupt.abort(new DOMException(why, 'AbortError'));
  }

  /** Ends it without a word: another process has told that it was lost. */
  leave(): void {
    this.#isLeft = true;
    this.interrupt('another process took the turn for lost');
  }

  /** Interrupts it because it may not go on, and tells why. */
  refuse(why: string): void {
    this.#failure ??= { code: 'turn-refused', message: why };
    this.interrupt(why);
  }

  /** Tells how the servers are, where that has changed. */
  refresh(): void {
    const servers = sessionServers(this.#parts.box.catalog(), this.#status.servers);
    if (JSON.stringify(servers) !== this.#toldServers) this.#tellStatus();
  }

  /** Runs it to its end. Resolves when its end is written. */
  async run(): Promise<void> {
    const { turn, agent } = this.#parts;
    const { content, id: turnId, by } = turn;
    const isKept = await this.#keep(
      [{ type: 'user_message', turnId, content, by: principalName(by) }, this.#statusNow()],
      {
        begins: true,
        set: { runtime: agent.runtime.name, ...(agent.model === undefined ? {} : { model: agent.model }) },
      },
    );
    if (!isKept) return this.approvals.close();
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
    await this.#keep([...error, { type: 'done', reason }], {
      ends: turn.id,
      waits: false,
      set: { lastTurn: reason },
    });
  }

  async #drive(): Promise<void> {
    const { box, agent, session, turn, memory } = this.#parts;
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
      agents: this.#parts.agents,
      cwd,
      permissionMode,
      tell: this.#tell,
    };
    const events = agent.runtime.turn({
      session: id,
      content: turn.content,
      cwd,
      permissionMode,
      ...(agent.model === undefined ? {} : { model: agent.model }),
      ...(agent.instructions === undefined ? {} : { instructions: agent.instructions }),
      ...recallTurn(memory, id, agent.runtime.name),
      signal,
      tools: turnTools({
        box,
        own: agent.own,
        profile: agent.profile,
        session: id,
        principal,
        cwd,
        permissionMode,
        options: (toolCallId) => ({
          waitMs: Number.POSITIVE_INFINITY,
          approve: (request) => this.approvals.ask(toolCallId, request),
          client: turnClient(client, toolCallId),
        }),
      }),
      serverContent: contentReader(box, { profile: agent.profile, session: id, principal }),
      ask: (toolCallId, questions) => this.questions.ask(toolCallId, questions).finally(() => this.#waits()),
    });
    await this.#hearAll(events[Symbol.asyncIterator]());
    if (this.#reason === undefined && !signal.aborted)
      throw new Error(`the runtime "${agent.runtime.name}" ended the turn without saying why`);
  }

  async #hearAll(events: AsyncIterator<TurnEvent>): Promise<void> {
    const abandoned = this.#abandoned();
    try {
      for (;;) {
        const next = await Promise.race([events.next(), abandoned.promise]);
        if (next === undefined || next.done === true) break;
        for (const event of this.#pieces.take(next.value)) this.#hear(event);
        if (this.#unwritten > mostUnwritten) await this.#written;
      }
    } finally {
      abandoned.stop();
      for (const event of this.#pieces.rest()) this.#hear(event);
    }
    // Its own end is not waited for: it may never come.
    void Promise.resolve(events.return?.()).catch(() => undefined);
  }

  /** Resolves some time after the interrupt. */
  #abandoned(): { readonly promise: Promise<undefined>; stop(): void } {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    let timer: NodeJS.Timeout | undefined;
    const start = (): void => void (timer = setTimeout(resolve, lastGraceMs, undefined));
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

  #hear(event: TurnEvent): void {
    const { agent, session } = this.#parts;
    switch (event.type) {
      case 'status':
        this.#status = { ...this.#status, ...event };
        this.#tellStatus(event.model === undefined ? {} : { set: { model: event.model } });
        break;
      case 'memory': {
        const kept: TurnMemory = { session: session.id, runtime: agent.runtime.name, memory: event.memory };
        this.#write([], { memory: JSON.stringify(kept) });
        break;
      }
      case 'done':
        this.#reason = event.reason;
        break;
      case 'tool_call_end':
        this.#tell(event);
        this.#announcement(event.toolCallId).resolve();
        break;
      case 'text_delta':
      case 'thinking_delta':
      case 'tool_call_start':
      case 'tool_call_delta':
      case 'tool_progress':
      case 'tool_result':
      case 'error':
        this.#tell(event);
    }
  }

  #announcement(toolCallId: string): PromiseWithResolvers<void> {
    const known = this.#announcements.get(toolCallId) ?? Promise.withResolvers<void>();
    this.#announcements.set(toolCallId, known);
    return known;
  }

  /** Resolves when the session's events show the call: it can run before the runtime's events about it are read. */
  async #announced(toolCallId: string): Promise<void> {
    const { promise, resolve } = this.#announcement(toolCallId);
    const timer = setTimeout(resolve, maxAnnounceDelayMs);
    await promise;
    clearTimeout(timer);
  }

  readonly #tell = (happening: SessionHappening): void => {
    const waits = this.#waitsNow(happening);
    this.#write([happening], waits === undefined ? undefined : { waits });
  };

  /** Whether the session waits for a human is written with the event that makes it so. */
  #waitsNow({ type }: SessionHappening): boolean | undefined {
    if (!/^(?:approval|question|elicitation)_/.test(type)) return undefined;
    const waits = this.approvals.count + this.questions.count + this.elicitations.count > 0;
    if (waits === this.#isWaiting) return undefined;
    this.#isWaiting = waits;
    if (waits) this.#parts.onWaits();
    return waits;
  }

  /** A question that nobody answered leaves no event. */
  #waits(): void {
    const waits = this.#waitsNow({ type: 'question_answered', toolCallId: '', by: '' });
    if (waits !== undefined) this.#write([], { waits });
  }

  #tellStatus(along?: Along): void {
    this.#write([this.#statusNow()], along);
  }

  #statusNow(): SessionHappening {
    const { servers: known, model = this.#parts.agent.model, costUsd, contextTokens } = this.#status;
    const servers = sessionServers(this.#parts.box.catalog(), known);
    this.#toldServers = JSON.stringify(servers);
    return {
      type: 'session_status',
      ...(model === undefined ? {} : { model }),
      permissionMode: this.#parts.session.permissionMode,
      servers,
      ...(costUsd === undefined ? {} : { costUsd }),
      ...(contextTokens === undefined ? {} : { contextTokens }),
    };
  }

  #write(happenings: readonly SessionHappening[], along?: Along): void {
    if (this.#isLeft) return;
    this.#unwritten += 1;
    this.#written = this.#parts.log.write(this.#parts.session.id, happenings, along).then(
      (seq) => {
        this.#unwritten -= 1;
        if (seq === undefined) this.interrupt('the session was deleted');
      },
      (error: unknown) => {
        this.#unwritten -= 1;
        const message = `the turn was ended: what happens in it could not be kept: ${messageOf(error)}`;
        this.#failure ??= { code: 'store-unavailable', message };
        this.interrupt(message);
      },
    );
  }

  /**
   * Writes what must be: without its end the session would be running for ever, without its beginning nobody would know what
   * was asked. A full disk may have room again. `false` when there is no time left, or no session: there is nothing to go on with.
   */
  async #keep(happenings: readonly SessionHappening[], along: Along): Promise<boolean> {
    const { log, session, closed } = this.#parts;
    for (;;) {
      if (this.#isLeft) return false;
      try {
        return (await log.write(session.id, happenings, along)) !== undefined;
      } catch {
        if (closed.aborted) return false;
        await wait(retryMs, undefined, { signal: closed }).catch(() => undefined);
      }
    }
  }
}
