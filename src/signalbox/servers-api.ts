import type { Catalog } from '../catalog/catalog.ts';
import type { Pins } from '../catalog/pins/pins.ts';
import type { SourceHealth } from '../catalog/source/source.ts';
import { awaitStartup, requireServers } from '../catalog/startup.ts';
import { SignalboxError } from '../core/errors.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { ServersApi } from './signalbox.ts';

interface Parts {
  readonly catalog: Catalog;
  readonly pins: Pins;
  readonly redactor: Redactor;
  readonly startupWaitMs: number;
  readonly instructions: ServersApi['instructions'];
}

/** Creates `box.servers`. */
export function createServersApi({ catalog, pins, redactor, startupWaitMs, instructions }: Parts): ServersApi {
  return {
    add: (server) => catalog.mount(server),
    remove: (server) => catalog.unmount(server).close(),
    replace: (server) => catalog.replace(server),
    async restart(server) {
      const source = catalog.source(server);
      if (source.restart !== undefined) return await source.restart();
      if (!source.adapter.startsWith('local:'))
        throw new SignalboxError('server-down', `server "${server}" is not started; enable it first`);
      const reason = `server "${server}" runs inside Signalbox, so there is no process or connection to restart`;
      throw new SignalboxError('server-local', `${reason}; restart Signalbox to load its code again`);
    },
    enable: (server) => catalog.enable(server),
    disable: (server) => catalog.disable(server),
    health(server) {
      const health = catalog.source(server).health?.();
      return health === undefined ? undefined : redactHealth(health, redactor);
    },
    ready: (options) => requireServers(catalog, options),
    started: (options) => awaitStartup(catalog, { ...options, waitMs: startupWaitMs }),
    instructions,
    accept: (server) => pins.accept(server),
  };
}

function redactHealth(health: SourceHealth, redactor: Redactor): SourceHealth {
  const { lastError, stderr } = health;
  return {
    ...health,
    ...(lastError === undefined ? {} : { lastError: redactor.text(lastError) }),
    stderr: stderr.map((line) => redactor.text(line)),
  };
}
