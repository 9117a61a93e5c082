import type { SessionRecord } from '../journal/store/session-store.ts';
import type { EventLog } from './event-log.ts';
import type { SessionBox } from './session-box.ts';
import type { SessionHappening } from './session-event.ts';
import { sessionServers } from './session-servers.ts';
import type { Turns } from './turns.ts';
import type { Watchers } from './watchers.ts';

/** What the news are told with. */
export interface ServerNewsParts {
  readonly box: SessionBox;
  readonly log: EventLog;
  readonly turns: Turns;
  readonly watchers: Watchers;
}

/** Servers often change several at a time, at the start above all. */
const calmMs = 50;

/** Tells how servers are doing, in turns that run and to whoever watches a session. */
export class ServerNews {
  readonly #parts: ServerNewsParts;
  readonly #stop: () => void;
  #timer: NodeJS.Timeout | undefined;
  #told: string;

  constructor(parts: ServerNewsParts) {
    this.#parts = parts;
    this.#told = this.#servers();
    this.#stop = parts.box.on('CatalogChanged', () => {
      this.#timer ??= setTimeout(() => void this.#look(), calmMs).unref();
    });
  }

  /** How a session in which nothing runs is. */
  statusOf({ model, permissionMode }: Pick<SessionRecord, 'model' | 'permissionMode'>): SessionHappening {
    const servers = sessionServers(this.#parts.box.catalog());
    return { type: 'session_status', ...(model === '' ? {} : { model }), permissionMode, servers };
  }

  stop(): void {
    this.#stop();
    clearTimeout(this.#timer);
  }

  #servers(): string {
    return JSON.stringify(sessionServers(this.#parts.box.catalog()));
  }

  async #look(): Promise<void> {
    const { box, log, turns, watchers } = this.#parts;
    this.#timer = undefined;
    const servers = this.#servers();
    if (servers === this.#told) return;
    this.#told = servers;
    for (const turn of turns.all()) turn.refresh();
    const idle = watchers.sessions().filter((session) => turns.of(session) === undefined);
    try {
      const records = await Promise.all(idle.map((session) => box.sessionStore.find(session)));
      // One that runs in another process is told by that.
      const known = records.filter((record) => record !== undefined).filter(({ turn }) => turn === 'none');
      await Promise.all(known.map((record) => log.write(record.id, [this.statusOf(record)], { idle: true })));
    } catch {
      // News that cannot be kept are told to nobody; the next turn tells how servers are in any case.
    }
  }
}
