import { setTimeout as wait } from 'node:timers/promises';
import type { TurnRecord } from '../journal/store/session-store.ts';
import { messageOf } from '../core/errors.ts';
import { type Principal, principalName } from '../core/principal.ts';
import { type Agent, type Agents, agentNamed } from './agent.ts';
import type { EventLog } from './event-log.ts';
import { lostTurn } from './lost-turn.ts';
import { RunningTurn } from './running-turn.ts';
import type { SessionBox } from './session-box.ts';
import type { SessionPost } from './session-post.ts';

/** What turns are run with. */
export interface TurnsParts {
  readonly box: SessionBox;
  readonly log: EventLog;
  readonly agents: Agents;
  readonly post: SessionPost;
  /** How many turns run at once, those that wait for a human not counted; 0: none, other processes run them. */
  readonly atOnce: number;
  readonly questionMs: number;
  readonly elicitationMs: number;
  readonly keepEvents: number;
  /** Why turns in the name of a principal may not run; `undefined` when they may. */
  readonly refusal?: Refusal | undefined;
  /** A turn begins. */
  onTurn(session: string): void;
}

/** Says why nothing may be done in the name of a principal now; `undefined` when it may. */
export type Refusal = (by: Principal) => Promise<string | undefined>;

const retryMs = 1000;
const lookEveryMs = 1000;
/** Of several processes that could run what waits, the idlest looks first. */
const politenessMs = 20;

interface Work {
  done: Promise<void>;
  /** Something may have come since the store was looked at. */
  again: boolean;
  /** Turns that were interrupted before they ran. */
  readonly interrupted: Set<string>;
}

/**
 * The turns that run in this process, at most one in a session and some in all; those that wait are claimed from the store,
 * by this process or another one that has room. Where there is none, the message that has waited longest comes first.
 */
export class Turns {
  readonly #parts: TurnsParts;
  readonly #running = new Map<string, RunningTurn>();
  /** The sessions whose turns are worked off here. */
  readonly #working = new Map<string, Work>();
  #lost: TurnRecord[] = [];
  /** What is claimed for this process, of which it knows nothing. */
  #unknown: ReadonlySet<string> = new Set();
  readonly #closed = new AbortController();
  #isOpen = false;
  #isClosing = false;
  /** Something waits that there was no room for. */
  #hasMore = false;
  #hasLooked = false;
  #lookingUp: NodeJS.Timeout | undefined;
  #recovering: Promise<void> | undefined;

  constructor(parts: TurnsParts) {
    this.#parts = parts;
    const { post } = parts;
    post.on('waiting', () => this.#lookSoon());
    post.on('interrupted', ({ session, turns, why }) => this.#interruptHere(session, turns, why));
    post.on('deleted', ({ session }) => this.#running.get(session)?.interrupt('the session was deleted'));
    post.onGap(() => void this.recover().catch(() => undefined));
  }

  of(session: string): RunningTurn | undefined {
    return this.#running.get(session);
  }

  all(): Iterable<RunningTurn> {
    return this.#running.values();
  }

  isBusy(session: string): boolean {
    return this.#working.has(session);
  }

  /** Interrupts the turn that runs and those that wait; `false` when there are none. */
  async interrupt(session: string, why: string): Promise<boolean> {
    const ids = await this.#parts.box.sessionStore.interrupt(session);
    if (ids.length > 0 && !this.#interruptHere(session, ids, why))
      await this.#parts.post.tell('interrupted', { session, turns: ids, why });
    return ids.length > 0;
  }

  /** Ends what died with its process and what was interrupted elsewhere, and runs what waits. */
  recover(): Promise<void> {
    return (this.#recovering ??= this.#recover().finally(() => (this.#recovering = undefined)));
  }

  async #recover(): Promise<void> {
    await this.#endLost();
    await this.#look();
    await this.#takeUp();
  }

  /** Ends what was interrupted elsewhere, and what another process took for lost: it goes on without us. */
  async #look(): Promise<void> {
    const running = [...this.#running.values()];
    const claimed = await this.#parts.box.sessionStore.claimed();
    for (const turn of running) {
      const own = claimed.find(({ id }) => id === turn.id);
      if (own === undefined) turn.leave();
      else if (own.interrupted) turn.interrupt('the turn was interrupted');
    }
    this.#findUnknown(claimed);
  }

  /** A store that went away in the middle of it may have claimed a turn for this process, or taken one over, and never told. */
  #findUnknown(claimed: readonly TurnRecord[]): void {
    const isKnown = ({ id, session }: TurnRecord): boolean =>
      this.#working.has(session) || this.#lost.some((lost) => lost.id === id);
    const unknown = claimed.filter((turn) => !isKnown(turn));
    // One that has just ended may have been there a moment before: those that are still there the next time are meant.
    this.#lost.push(...unknown.filter(({ id }) => this.#unknown.has(id)));
    this.#unknown = new Set(unknown.map(({ id }) => id));
  }

  /** Whether the turn that was meant runs in this process. */
  #interruptHere(session: string, ids: readonly string[], why: string): boolean {
    const running = this.#running.get(session);
    const isMeant = running !== undefined && ids.includes(running.id);
    if (isMeant) running.interrupt(why);
    else for (const id of ids) this.#working.get(session)?.interrupted.add(id);
    return isMeant;
  }

  async #endLost(): Promise<void> {
    const { box, log } = this.#parts;
    const patient = this.#hasLooked;
    this.#hasLooked = true;
    this.#lost.push(...(await box.sessionStore.takeLost({ patient })));
    for (let turn = this.#lost[0]; turn !== undefined; turn = this.#lost[0]) {
      await lostTurn(box, log, turn);
      this.#lost = this.#lost.filter((one) => one !== turn);
    }
  }

  /** From now on what waits since an earlier process, or for another one, is run here too. */
  async open(): Promise<void> {
    this.#isOpen = true;
    await this.recover();
  }

  /** Runs what waits, as far as there is room. */
  async #takeUp(): Promise<void> {
    const room = this.#room();
    if (room <= 0 || !this.#isOpen || this.#isClosing) return;
    this.#hasMore = false;
    const waiting = await this.#parts.box.sessionStore.waiting(room + 1);
    for (const session of waiting) this.workOff(session);
  }

  /** Runs the turns of a session until none waits; where there is no room, another process may, or this one does later. */
  workOff(session: string): void {
    const known = this.#working.get(session);
    if (known !== undefined) known.again = true;
    if (this.#isClosing || known !== undefined) return;
    if (this.#room() <= 0) {
      this.#hasMore = true;
      void this.#parts.post.tell('waiting', {});
      return;
    }
    const work: Work = { done: Promise.resolve(), again: false, interrupted: new Set() };
    this.#working.set(session, work);
    work.done = this.#work(session, work);
  }

  /** Resolves when no turn of the session runs here any more. */
  async ended(session: string): Promise<void> {
    await this.#working.get(session)?.done;
  }

  /** Lets the turns that run end for some time, and interrupts the rest. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#lookingUp);
    const grace = setTimeout(() => {
      for (const turn of this.#running.values()) turn.interrupt('Signalbox is closing');
    }, graceMs);
    // A store that cannot be written to must not keep the process for ever.
    const last = setTimeout(() => this.#closed.abort(), graceMs + 15_000);
    await Promise.allSettled([...this.#working.values()].map(({ done }) => done));
    clearTimeout(grace);
    clearTimeout(last);
    this.#closed.abort();
    await this.#parts.post.tell('waiting', {});
  }

  /** How many more turns may run here now. */
  #room(): number {
    let active = this.#working.size;
    for (const { isWaiting } of this.#running.values()) if (isWaiting) active -= 1;
    return this.#parts.atOnce - active;
  }

  /** There may be room for what waits. */
  #makeRoom(): void {
    if (this.#hasMore && !this.#isClosing) this.#takeUp().catch(() => undefined);
  }

  #lookSoon(): void {
    const { atOnce } = this.#parts;
    if (atOnce === 0) return;
    const pause = Math.random() + (this.#working.size / atOnce) * politenessMs;
    this.#lookingUp ??= setTimeout(() => {
      this.#lookingUp = undefined;
      if (this.#room() > 0) this.#takeUp().catch(() => undefined);
      else this.#hasMore = true;
    }, pause).unref();
  }

  async #work(session: string, work: Work): Promise<void> {
    let turn: TurnRecord | undefined;
    while (!this.#isClosing) {
      work.again = false;
      try {
        turn ??= await this.#parts.box.sessionStore.claim(session);
        if (turn === undefined) {
          if (work.again) continue;
          break;
        }
        await this.#run(turn, work.interrupted);
        turn = undefined;
        // Others wait: the next message of this session does so too.
        if (this.#hasMore && this.#room() <= 0) break;
      } catch (error) {
        // The store may be busy or full for a moment; what was claimed is tried again, since nobody else would run it.
        process.emitWarning(`turns of ${session} wait: ${messageOf(error)}`, { type: 'SignalboxWarning' });
        await wait(retryMs, undefined, { signal: this.#closed.signal }).catch(() => undefined);
      }
    }
    this.#working.delete(session);
    this.#makeRoom();
  }

  async #run(turn: TurnRecord, interrupted: ReadonlySet<string>): Promise<void> {
    const { box, log, agents, questionMs, elicitationMs, keepEvents, refusal, onTurn } = this.#parts;
    const session = await box.sessionStore.find(turn.session);
    if (session === undefined) return;
    onTurn(session.id);
    if (session.lastSeq > keepEvents) await box.sessionStore.trim(session.id, keepEvents);
    // Jobs send in the name of whose session it is.
    const sender = turn.by.kind === 'system' ? session.owner : turn.by;
    const refused = await refusal?.(sender);
    if (refused !== undefined) return this.#refuse(turn, 'turn-refused', refused);
    let agent: Agent;
    try {
      agent = agentNamed(agents, session.agent);
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
      onWaits: () => this.#makeRoom(),
    });
    this.#running.set(session.id, running);
    if (interrupted.has(turn.id)) running.interrupt('the turn was interrupted');
    const looking =
      refusal === undefined ? undefined : setInterval(() => void this.#lookAfter(running, sender), lookEveryMs);
    try {
      await running.run();
    } finally {
      clearInterval(looking);
      this.#running.delete(session.id);
    }
  }

  /** Ends a turn whose sender may not any more. */
  async #lookAfter(turn: RunningTurn, sender: Principal): Promise<void> {
    // Nobody is interrupted because the store cannot be read for a moment.
    const refused = await this.#parts.refusal?.(sender).catch(() => undefined);
    if (refused !== undefined) turn.refuse(refused);
  }

  async #refuse({ id, session, content, by }: TurnRecord, code: string, message: string): Promise<void> {
    await this.#parts.log.write(
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
