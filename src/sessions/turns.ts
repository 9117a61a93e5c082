import { setTimeout as wait } from 'node:timers/promises';
import type { TurnRecord } from '../journal/session-store.ts';
import { messageOf } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import { type Agent, type Agents, agentNamed } from './agent.ts';
import type { EventLog } from './event-log.ts';
import { lostTurn } from './lost-turn.ts';
import { RunningTurn } from './running-turn.ts';
import type { SessionBox } from './session-box.ts';

/** What turns are run with. */
export interface TurnsParts {
  readonly box: SessionBox;
  readonly log: EventLog;
  readonly agents: Agents;
  readonly questionMs: number;
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

interface Work {
  done: Promise<void>;
  /** Something may have come since the store was looked at. */
  again: boolean;
  /** Turns that were interrupted before they ran. */
  readonly interrupted: Set<string>;
}

/** The turns that run in this process, at most one in a session; those that wait are claimed from the store one after the other. */
export class Turns {
  readonly #parts: TurnsParts;
  readonly #running = new Map<string, RunningTurn>();
  /** The sessions whose turns are worked off here. */
  readonly #working = new Map<string, Work>();
  #lost: TurnRecord[] = [];
  readonly #closed = new AbortController();
  #isClosing = false;

  constructor(parts: TurnsParts) {
    this.#parts = parts;
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
    const running = this.#running.get(session);
    if (running !== undefined && ids.includes(running.id)) running.interrupt(why);
    else for (const id of ids) this.#working.get(session)?.interrupted.add(id);
    return ids.length > 0;
  }

  /** Ends what died with its process. */
  async endLost(): Promise<void> {
    const { box, log } = this.#parts;
    this.#lost.push(...(await box.sessionStore.takeLost()));
    for (let turn = this.#lost[0]; turn !== undefined; turn = this.#lost[0]) {
      await lostTurn(box.sessionStore, log, turn);
      this.#lost = this.#lost.filter((one) => one !== turn);
    }
  }

  /** Runs what waits. */
  async takeUp(): Promise<void> {
    for (const session of await this.#parts.box.sessionStore.waiting()) this.workOff(session);
  }

  /** Runs the turns of a session until none waits. */
  workOff(session: string): void {
    const known = this.#working.get(session);
    if (known !== undefined) known.again = true;
    if (this.#isClosing || known !== undefined) return;
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
    const grace = setTimeout(() => {
      for (const turn of this.#running.values()) turn.interrupt('Signalbox is closing');
    }, graceMs);
    // A store that cannot be written to must not keep the process for ever.
    const last = setTimeout(() => this.#closed.abort(), graceMs + 15_000);
    await Promise.allSettled([...this.#working.values()].map(({ done }) => done));
    clearTimeout(grace);
    clearTimeout(last);
    this.#closed.abort();
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
      } catch (error) {
        // The store may be busy or full for a moment; what was claimed is tried again, since nobody else would run it.
        process.emitWarning(`turns of ${session} wait: ${messageOf(error)}`, { type: 'SignalboxWarning' });
        await wait(retryMs, undefined, { signal: this.#closed.signal }).catch(() => undefined);
      }
    }
    this.#working.delete(session);
  }

  async #run(turn: TurnRecord, interrupted: ReadonlySet<string>): Promise<void> {
    const { box, log, agents, questionMs, keepEvents, refusal, onTurn } = this.#parts;
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
    const running = new RunningTurn({ box, log, agent, session, turn, memory, questionMs, closed });
    this.#running.set(session.id, running);
    if (interrupted.has(turn.id)) running.interrupt('the turn was interrupted');
    const looking =
      refusal === undefined ? undefined : setInterval(() => void this.#look(running, sender), lookEveryMs);
    try {
      await running.run();
    } finally {
      clearInterval(looking);
      this.#running.delete(session.id);
    }
  }

  /** Ends a turn whose sender may not any more. */
  async #look(turn: RunningTurn, sender: Principal): Promise<void> {
    // Nobody is interrupted because the store cannot be read for a moment.
    const refused = await this.#parts.refusal?.(sender).catch(() => undefined);
    if (refused !== undefined) turn.refuse(refused);
  }

  async #refuse({ id, session, content, by }: TurnRecord, code: string, message: string): Promise<void> {
    await this.#parts.log.write(
      session,
      [
        { type: 'user_message', turnId: id, content, by: by.id },
        { type: 'error', code, message },
        { type: 'done', reason: 'error' },
      ],
      { begins: true, ends: id, set: { lastTurn: 'error' } },
    );
  }
}
