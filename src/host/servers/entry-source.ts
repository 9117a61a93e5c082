import { lockSource } from '../../catalog/lock/lock-source.ts';
import type { LockedServer } from '../../catalog/lock/lock-types.ts';
import { isPinnable, pinSource } from '../../catalog/pins/pin-source.ts';
import type { Pins } from '../../catalog/pins/pins.ts';
import type { Source } from '../../catalog/source/source.ts';
import { configuredServer } from '../../catalog/transforms/shaping/shape-source.ts';
import type { ExternalEntry, ServerEntry } from '../../config/configuration.ts';
import { loadLocalServer } from '../modules/load-local-server.ts';
import { downServer } from './down-server.ts';
import type { ServerStartContext } from './external-server.ts';

/** Creates a source that starts after `after` settles: two instances of a server could compete for a port or a file. */
export type CreateSource = (after: Promise<unknown>) => Source;

/** Loads the module of an entry, or the code for external servers. The source offers all tools, before lock, pins and settings apply. */
export async function prepareSource(entry: ServerEntry, context: ServerStartContext): Promise<CreateSource> {
  if (entry.kind === 'local') {
    const source = await loadLocalServer(entry);
    return () => source;
  }
  // Imported on demand: not every configuration has external servers.
  const { externalServer } = await import('./external-server.ts');
  return (after) => externalServer(entry, context, after);
}

/** Returns the source of a server that is not started. */
export function unstartedSource(entry: ExternalEntry): Source {
  return downServer(entry.name, `mcp:${entry.name}`, 'it was not started');
}

/** Returns the launch settings of a server. When they change, the server is restarted. */
export function launchSettings({
  tools: _tools,
  disabled: _disabled,
  required: _required,
  ...entry
}: ServerEntry): object {
  if (entry.kind === 'local') return entry;
  const { limits, ...settings } = entry;
  // A server receives its workspace when it connects.
  return { ...settings, workspace: limits.workspace };
}

/** Returns a source for the catalog: with the tools that its lock or pin allows, changed by its settings. */
export function offeredSource(
  source: Source,
  entry: ServerEntry,
  locked: LockedServer | undefined,
  pins: Pins,
): Source {
  const shaped = configuredServer(acceptedSource(source, entry, locked, pins), entry.tools);
  const { required, limits } = entry;
  return {
    ...shaped,
    isPinned: true,
    limits: { ...shaped.limits, ...limits },
    ...(required === undefined ? {} : { required }),
  };
}

/** Applies the committed lock of a server, which replaces its pin. */
function acceptedSource(source: Source, entry: ServerEntry, locked: LockedServer | undefined, pins: Pins): Source {
  if (locked !== undefined) {
    if (isPinnable(source)) pins.adopt(source.server, locked);
    return lockSource(source, locked);
  }
  return isPinned(entry) && isPinnable(source) ? pinSource(source, pins) : source;
}

/** Returns whether the definitions of a server are pinned: those of external servers are, unless `pin` is `false`. */
export function isPinned(entry: ServerEntry): boolean {
  return entry.kind === 'external' && entry.settings.pin !== false;
}
