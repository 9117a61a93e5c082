import type { ServerSummary } from '../../catalog/snapshot.ts';
import type { SourceHealth } from '../../catalog/source/source.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import type { HostLog } from '../host-log.ts';

interface ObservedServer {
  readonly server: ServerSummary;
  readonly health: SourceHealth | undefined;
}

/** The catalog does not report outages that end within seconds, so the servers are polled. */
const pollMs = 1000;

/** Logs a line when a server goes down, comes up again or was restarted. Returns a function that stops logging. */
export function logServerChanges(box: Pick<InternalSignalbox, 'catalog' | 'servers'>, log: HostLog): () => void {
  const observe = (): Map<string, ObservedServer> =>
    new Map(box.catalog().servers.map((server) => [server.name, { server, health: box.servers.health(server.name) }]));
  let before = observe();
  const timer = setInterval(() => {
    const now = observe();
    for (const [name, observed] of now) {
      const earlier = before.get(name);
      if (earlier !== undefined) logChange(earlier, observed, log);
    }
    before = now;
  }, pollMs);
  timer.unref();
  return () => clearInterval(timer);
}

function logChange(before: ObservedServer, { server, health }: ObservedServer, log: HostLog): void {
  const { name, status, reason = `server "${name}" is down`, connecting, required } = server;
  const wasUp = before.server.status === 'up';
  // Required servers are logged by `logRequiredServers`.
  if (required !== true && status === 'down' && connecting !== true && (wasUp || before.server.connecting === true))
    log.warn(reason);
  if (required !== true && status === 'up' && before.server.status === 'down' && before.server.connecting !== true)
    log.info(`server "${name}" is up again`);
  // An idle server that starts for a call was not restarted.
  const isRestarted = (health?.restarts ?? 0) > (before.health?.restarts ?? 0) && before.health?.state !== 'idle';
  if (!isRestarted || status !== 'up' || !wasUp) return;
  // A restart that was requested has no error; an earlier one stays in the health of the server.
  const hasFailed = before.health?.state !== 'up' || health?.lastError !== before.health.lastError;
  const why = hasFailed && health?.lastError !== undefined ? `: ${health.lastError}` : '';
  log.warn(`server "${name}" was restarted${why}`);
}
