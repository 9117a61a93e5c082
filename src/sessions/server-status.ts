import type { CatalogSnapshot, ServerSummary } from '../catalog/snapshot.ts';
import type { SessionRecord } from '../journal/store/session-store.ts';
import type { TurnEvent } from '../runtimes/runtime.ts';
import type { EventLog } from './events/event-log.ts';
import type { SessionEventBody, SessionServer } from './events/session-event.ts';
import type { SessionWatchers } from './events/watchers.ts';
import type { SessionBox } from './session-box.ts';

type RuntimeServers = NonNullable<Extract<TurnEvent, { type: 'status' }>['servers']>;

/** Maps the server states of Claude Code to ours. */
const runtimeStatuses: Readonly<Record<string, string>> = {
  connected: 'up',
  failed: 'down',
  pending: 'starting',
  'needs-auth': 'needs-sign-in',
};

/** Returns the state of every server: those of the box, and those that only the runtime connects to (`passthrough`). */
export function toSessionServers(
  { servers }: Pick<CatalogSnapshot, 'servers'>,
  runtimeServers: RuntimeServers = [],
): readonly SessionServer[] {
  // Only the runtime knows the state of a server that it connects to itself.
  const own = servers.filter(
    ({ name, adapter }) => !adapter.startsWith('passthrough:') || !runtimeServers.some((each) => each.name === name),
  );
  const names = new Set(own.map(({ name }) => name));
  const runtimeOnly = runtimeServers.filter(({ name }) => !names.has(name));
  return [
    ...own.map(fromCatalog),
    ...runtimeOnly.map(({ name, status, tools = 0, error }) => ({
      name,
      status: runtimeStatuses[status] ?? status,
      tools,
      ...(error === undefined ? {} : { error }),
    })),
  ];
}

function fromCatalog({ name, status, connecting, needsSignIn, reason, tools }: ServerSummary): SessionServer {
  const isDown = status === 'down';
  return {
    name,
    status: isDown && connecting === true ? 'starting' : isDown && needsSignIn === true ? 'needs-sign-in' : status,
    tools,
    ...(reason === undefined ? {} : { error: reason }),
  };
}

/** The dependencies of the notifier. */
interface ServerStatusNotifierOptions {
  readonly box: SessionBox;
  readonly log: EventLog;
  readonly turns: {
    running(): Iterable<{ refresh(): void }>;
    find(session: string): object | undefined;
  };
  readonly watchers: SessionWatchers;
}

/** Several servers often change state together, especially at startup. */
const debounceMs = 50;

/** Writes a `session_status` event when the state of a server changes, in running turns and in watched sessions. */
export class ServerStatusNotifier {
  readonly #options: ServerStatusNotifierOptions;
  readonly #stop: () => void;
  #timer: NodeJS.Timeout | undefined;
  #lastServers: string;

  constructor(options: ServerStatusNotifierOptions) {
    this.#options = options;
    this.#lastServers = this.#servers();
    this.#stop = options.box.on('CatalogChanged', () => {
      this.#timer ??= setTimeout(() => void this.#check(), debounceMs).unref();
    });
  }

  /** Returns the status event of a session without a running turn. */
  statusOf({ model, permissionMode }: Pick<SessionRecord, 'model' | 'permissionMode'>): SessionEventBody {
    const servers = toSessionServers(this.#options.box.catalog());
    return { type: 'session_status', ...(model === '' ? {} : { model }), permissionMode, servers };
  }

  stop(): void {
    this.#stop();
    clearTimeout(this.#timer);
  }

  #servers(): string {
    return JSON.stringify(toSessionServers(this.#options.box.catalog()));
  }

  async #check(): Promise<void> {
    const { box, log, turns, watchers } = this.#options;
    this.#timer = undefined;
    const servers = this.#servers();
    if (servers === this.#lastServers) return;
    this.#lastServers = servers;
    for (const turn of turns.running()) turn.refresh();
    const idle = watchers.sessions().filter((session) => turns.find(session) === undefined);
    try {
      const records = await Promise.all(idle.map((session) => box.sessionStore.find(session)));
      // Another process writes the event for a session whose turn it runs.
      const known = records.filter((record) => record !== undefined).filter(({ turn }) => turn === 'none');
      await Promise.all(known.map((record) => log.write(record.id, [this.statusOf(record)], { idle: true })));
    } catch {
      // The next turn writes a status event in any case.
    }
  }
}
