import { setTimeout as wait } from 'node:timers/promises';
import type { TurnRecord } from '../journal/session-store.ts';
import { messageOf } from '../model/errors.ts';
import { nearest } from '../model/nearest.ts';
import type { Agents } from './agent.ts';
import type { EventLog } from './event-log.ts';
import { lostTurn } from './lost-turn.ts';
import { RunningTurn } from './running-turn.ts';
import type { SessionBox } from './session-box.ts';
import type { SessionHappening } from './session-event.ts';

/** What turns are run with. */
export interface TurnsParts {
  readonly box: SessionBox;
  readonly log: EventLog;
  readonly agents: Agents;
  readonly questionMs: number;
}

const retryMs = 1000;

interface Work {
  done: Promise<void>;
  /** Something may have come since the store was looked at. */
  again: boolean;
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

  get isClosing(): boolean {
    return this.#isClosing;
  }

  of(session: string): RunningTurn | undefined {
    return this.#running.get(session);
  }

  all(): Iterable<RunningTurn> {
    return this.#running.values();
  }

  sessions(): ReadonlyMap<string, unknown> {
    return this.#working;
  }

  /** Ends what died with its process, and runs what waits. */
  async recover(): Promise<void> {
    const { box, log } = this.#parts;
    this.#lost.push(...(await box.sessionStore.takeLost()));
    for (let turn = this.#lost[0]; turn !== undefined; turn = this.#lost[0]) {
      await lostTurn(box.sessionStore, log, turn);
      this.#lost = this.#lost.filter((one) => one !== turn);
    }
    for (const session of await box.sessionStore.waiting()) this.workOff(session);
  }

  /** Runs the turns of a session until none waits. */
  workOff(session: string): void {
    const known = this.#working.get(session);
    if (known !== undefined) known.again = true;
    if (this.#isClosing || known !== undefined) return;
    const work: Work = { done: Promise.resolve(), again: false };
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
    while (!this.#isClosing) {
      work.again = false;
      try {
        const turn = await this.#parts.box.sessionStore.claim(session);
        if (turn !== undefined) await this.#run(turn);
        else if (!work.again) break;
      } catch (error) {
        // The store may be busy or full for a moment; the turn waits in it.
        process.emitWarning(`turns of ${session} wait: ${messageOf(error)}`, { type: 'SignalboxWarning' });
        await wait(retryMs, undefined, { signal: this.#closed.signal }).catch(() => undefined);
      }
    }
    this.#working.delete(session);
  }

  async #run(turn: TurnRecord): Promise<void> {
    const { box, log, agents, questionMs } = this.#parts;
    const session = await box.sessionStore.find(turn.session);
    if (session === undefined) return;
    const agent = agents.list().find(({ name }) => name === session.agent);
    if (agent === undefined) return this.#refuse(turn, unknownAgent(session.agent, agents));
    const memory = await box.sessionStore.memory(turn.session);
    const closed = this.#closed.signal;
    const running = new RunningTurn({ box, log, agent, session, turn, memory, questionMs, closed });
    this.#running.set(session.id, running);
    try {
      await running.run();
    } finally {
      this.#running.delete(session.id);
    }
  }

  async #refuse({ id, session, content, by }: TurnRecord, error: SessionHappening): Promise<void> {
    await this.#parts.log.write(
      session,
      [{ type: 'user_message', turnId: id, content, by: by.id }, error, { type: 'done', reason: 'error' }],
      { begins: true, ends: id, set: { lastTurn: 'error' } },
    );
  }
}

function unknownAgent(name: string, agents: Agents): SessionHappening {
  return { type: 'error', code: 'agent-unknown', message: noSuchAgent(name, agents) };
}

/** What to say where an agent is not there (any more). */
export function noSuchAgent(name: string, agents: Agents): string {
  const names = agents.list().map((agent) => agent.name);
  const near = nearest(name, names);
  const guess = near === undefined ? '' : `; did you mean "${near}"?`;
  return `there is no agent ${JSON.stringify(name)}${guess} There are: ${names.join(', ')}`;
}
