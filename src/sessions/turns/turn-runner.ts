import { setTimeout as wait } from 'node:timers/promises';
import type { TurnRecord } from '../../journal/store/session-store.ts';
import { messageOf } from '../../core/errors.ts';
import { type Principal, principalName } from '../../core/principal.ts';
import { type Agent, type Agents, findAgent } from '../agent.ts';
import type { EventLog } from '../events/event-log.ts';
import { endLostTurn } from './lost-turn.ts';
import { RunningTurn } from './running-turn.ts';
import type { SessionBox } from '../session-box.ts';
import type { SessionPubSub } from '../session-pub-sub.ts';

/** The dependencies and limits of a turn runner. */
interface TurnRunnerOptions {
  readonly box: SessionBox;
  readonly log: EventLog;
  readonly agents: Agents;
  readonly pubSub: SessionPubSub;
  /** The maximum number of concurrent turns, not counting turns that wait for a human. With 0, other processes run them. */
  readonly maxConcurrent: number;
  readonly questionMs: number;
  readonly elicitationMs: number;
  readonly keepEvents: number;
  /** Returns why turns of a principal may not run; `undefined` when they may. */
  readonly refusal?: TurnRefusal | undefined;
  /** Called when a turn starts. */
  onTurn(session: string): void;
}

/** Returns why a principal may not run turns now; `undefined` when it may. */
export type TurnRefusal = (by: Principal) => Promise<string | undefined>;

const retryMs = 1000;
const refusalCheckMs = 1000;
/** The delay before a fully loaded process claims a waiting turn. It is proportional to the load, so the idlest process claims first. */
const claimDelayAtFullLoadMs = 20;

interface SessionWorker {
  done: Promise<void>;
  /** Whether a message may have arrived since the last claim. */
  again: boolean;
  /** The ids of turns that were interrupted before they ran. */
  readonly interrupted: Set<string>;
}

/**
 * Runs turns in this process: at most one per session, and a limited number in all. Waiting turns are claimed from the store by
 * any process with free capacity. When no process has any, the message that has waited longest runs first.
 */
export class TurnRunner {
  readonly #options: TurnRunnerOptions;
  readonly #running = new Map<string, RunningTurn>();
  /** The sessions whose queued turns run in this process. */
  readonly #workers = new Map<string, SessionWorker>();
  #lost: TurnRecord[] = [];
  /** The turns that the store assigns to this process but that it does not run. */
  #unknown: ReadonlySet<string> = new Set();
  readonly #closed = new AbortController();
  #isOpen = false;
  #isClosing = false;
  /** Whether turns wait for which there was no capacity. */
  #hasMore = false;
  #hasRecovered = false;
  #claimTimer: NodeJS.Timeout | undefined;
  #recovering: Promise<void> | undefined;

  constructor(options: TurnRunnerOptions) {
    this.#options = options;
    const { pubSub } = options;
    pubSub.on('waiting', () => this.#claimSoon());
    pubSub.on('interrupted', ({ session, turns, why }) => this.#interruptLocal(session, turns, why));
    pubSub.on('deleted', ({ session }) => this.#running.get(session)?.interrupt('the session was deleted'));
    pubSub.onGap(() => void this.recover().catch(() => undefined));
  }

  find(session: string): RunningTurn | undefined {
    return this.#running.get(session);
  }

  running(): Iterable<RunningTurn> {
    return this.#running.values();
  }

  isBusy(session: string): boolean {
    return this.#workers.has(session);
  }

  /** Interrupts the running turn and the queued ones. Resolves with `false` when there are none. */
  async interrupt(session: string, why: string): Promise<boolean> {
    const ids = await this.#options.box.sessionStore.interrupt(session);
    if (ids.length > 0 && !this.#interruptLocal(session, ids, why))
      await this.#options.pubSub.publish('interrupted', { session, turns: ids, why });
    return ids.length > 0;
  }

  /** Ends turns whose process died, applies interrupts of other processes, and runs waiting turns. */
  recover(): Promise<void> {
    return (this.#recovering ??= this.#recover().finally(() => (this.#recovering = undefined)));
  }

  async #recover(): Promise<void> {
    await this.#endLost();
    await this.#reconcile();
    await this.#claimWaiting();
  }

  /** Interrupts turns that another process marked as interrupted, and abandons those that another process ended as lost. */
  async #reconcile(): Promise<void> {
    const running = [...this.#running.values()];
    const claimed = await this.#options.box.sessionStore.claimed();
    for (const turn of running) {
      const own = claimed.find(({ id }) => id === turn.id);
      if (own === undefined) turn.abandon();
      else if (own.interrupted) turn.interrupt('the turn was interrupted');
    }
    this.#findUnknown(claimed);
  }

  /** Finds turns that the store assigned to this process while the connection failed, so that the result never arrived. */
  #findUnknown(claimed: readonly TurnRecord[]): void {
    const isKnown = ({ id, session }: TurnRecord): boolean =>
      this.#workers.has(session) || this.#lost.some((lost) => lost.id === id);
    const unknown = claimed.filter((turn) => !isKnown(turn));
    // A turn that has just ended may still be listed. Only those that are listed twice in a row count as lost.
    this.#lost.push(...unknown.filter(({ id }) => this.#unknown.has(id)));
    this.#unknown = new Set(unknown.map(({ id }) => id));
  }

  /** Interrupts turns of this process. Returns whether one of them is running. */
  #interruptLocal(session: string, ids: readonly string[], why: string): boolean {
    const running = this.#running.get(session);
    const isRunning = running !== undefined && ids.includes(running.id);
    if (isRunning) running.interrupt(why);
    else for (const id of ids) this.#workers.get(session)?.interrupted.add(id);
    return isRunning;
  }

  async #endLost(): Promise<void> {
    const { box, log } = this.#options;
    const patient = this.#hasRecovered;
    this.#hasRecovered = true;
    this.#lost.push(...(await box.sessionStore.takeLost({ patient })));
    for (let turn = this.#lost[0]; turn !== undefined; turn = this.#lost[0]) {
      await endLostTurn(box, log, turn);
      this.#lost = this.#lost.filter((one) => one !== turn);
    }
  }

  /** Starts running turns that earlier or other processes queued. */
  async open(): Promise<void> {
    this.#isOpen = true;
    await this.recover();
  }

  /** Runs waiting turns as far as there is capacity. */
  async #claimWaiting(): Promise<void> {
    const capacity = this.#capacity();
    if (capacity <= 0 || !this.#isOpen || this.#isClosing) return;
    this.#hasMore = false;
    const waiting = await this.#options.box.sessionStore.waiting(capacity + 1);
    for (const session of waiting) this.runQueued(session);
  }

  /** Runs the queued turns of a session. Without free capacity, another process runs them, or this one does later. */
  runQueued(session: string): void {
    const known = this.#workers.get(session);
    if (known !== undefined) known.again = true;
    if (this.#isClosing || known !== undefined) return;
    if (this.#capacity() <= 0) {
      this.#hasMore = true;
      void this.#options.pubSub.publish('waiting', {});
      return;
    }
    const work: SessionWorker = { done: Promise.resolve(), again: false, interrupted: new Set() };
    this.#workers.set(session, work);
    work.done = this.#work(session, work);
  }

  /** Resolves when no turn of the session runs in this process. */
  async whenIdle(session: string): Promise<void> {
    await this.#workers.get(session)?.done;
  }

  /** Waits up to `graceMs` for running turns, then interrupts them. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#claimTimer);
    const grace = setTimeout(() => {
      for (const turn of this.#running.values()) turn.interrupt('Signalbox is closing');
    }, graceMs);
    // A store that rejects writes must not keep the process alive.
    const last = setTimeout(() => this.#closed.abort(), graceMs + 15_000);
    await Promise.allSettled([...this.#workers.values()].map(({ done }) => done));
    clearTimeout(grace);
    clearTimeout(last);
    this.#closed.abort();
    await this.#options.pubSub.publish('waiting', {});
  }

  /** Returns how many more turns may run in this process now. */
  #capacity(): number {
    let active = this.#workers.size;
    for (const { isWaiting } of this.#running.values()) if (isWaiting) active -= 1;
    return this.#options.maxConcurrent - active;
  }

  /** Runs waiting turns after capacity was freed. */
  #useFreeCapacity(): void {
    if (this.#hasMore && !this.#isClosing) this.#claimWaiting().catch(() => undefined);
  }

  #claimSoon(): void {
    const { maxConcurrent } = this.#options;
    if (maxConcurrent === 0) return;
    const pause = Math.random() + (this.#workers.size / maxConcurrent) * claimDelayAtFullLoadMs;
    this.#claimTimer ??= setTimeout(() => {
      this.#claimTimer = undefined;
      if (this.#capacity() > 0) this.#claimWaiting().catch(() => undefined);
      else this.#hasMore = true;
    }, pause).unref();
  }

  async #work(session: string, work: SessionWorker): Promise<void> {
    let turn: TurnRecord | undefined;
    while (!this.#isClosing) {
      work.again = false;
      try {
        turn ??= await this.#options.box.sessionStore.claim(session);
        if (turn === undefined) {
          if (work.again) continue;
          break;
        }
        await this.#run(turn, work.interrupted);
        turn = undefined;
        // Other sessions wait for capacity, so the next message of this session queues behind them.
        if (this.#hasMore && this.#capacity() <= 0) break;
      } catch (error) {
        // The store may be temporarily unavailable. A claimed turn is retried, because no other process would run it.
        process.emitWarning(`turns of session ${session} are delayed: ${messageOf(error)}`, {
          type: 'SignalboxWarning',
        });
        await wait(retryMs, undefined, { signal: this.#closed.signal }).catch(() => undefined);
      }
    }
    this.#workers.delete(session);
    this.#useFreeCapacity();
  }

  async #run(turn: TurnRecord, interrupted: ReadonlySet<string>): Promise<void> {
    const { box, log, agents, questionMs, elicitationMs, keepEvents, refusal, onTurn } = this.#options;
    const session = await box.sessionStore.find(turn.session);
    if (session === undefined) return;
    onTurn(session.id);
    if (session.lastSeq > keepEvents) await box.sessionStore.trim(session.id, keepEvents);
    // Scheduled jobs run with the permissions of the session's owner.
    const sender = turn.by.kind === 'system' ? session.owner : turn.by;
    const refused = await refusal?.(sender);
    if (refused !== undefined) return this.#refuse(turn, 'turn-refused', refused);
    let agent: Agent;
    try {
      agent = findAgent(agents, session.agent);
    } catch (error) {
      return this.#refuse(turn, 'agent-unknown', messageOf(error));
    }
    const memory = await box.sessionStore.memory(turn.session);
    const closed = this.#closed.signal;
    const running = new RunningTurn({
      box,
      log,
      agent,
      agents: agents.list(),
      session,
      turn,
      memory,
      questionMs,
      elicitationMs,
      closed,
      onWaits: () => this.#useFreeCapacity(),
    });
    this.#running.set(session.id, running);
    if (interrupted.has(turn.id)) running.interrupt('the turn was interrupted');
    const checking =
      refusal === undefined ? undefined : setInterval(() => void this.#checkRefusal(running, sender), refusalCheckMs);
    try {
      await running.run();
    } finally {
      clearInterval(checking);
      this.#running.delete(session.id);
    }
  }

  /** Ends a turn whose sender may no longer run it. */
  async #checkRefusal(turn: RunningTurn, sender: Principal): Promise<void> {
    // A store that is temporarily unavailable must not end the turn.
    const refused = await this.#options.refusal?.(sender).catch(() => undefined);
    if (refused !== undefined) turn.refuse(refused);
  }

  async #refuse({ id, session, content, by }: TurnRecord, code: string, message: string): Promise<void> {
    await this.#options.log.write(
      session,
      [
        { type: 'user_message', turnId: id, content, by: principalName(by) },
        { type: 'error', code, message },
        { type: 'done', reason: 'error' },
      ],
      { begins: true, ends: id, set: { lastTurn: 'error' } },
    );
  }
}
