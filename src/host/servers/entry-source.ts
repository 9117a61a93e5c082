import { lockSource } from '../../catalog/lock/lock-source.ts';
import type { LockedServer } from '../../catalog/lock/lock.ts';
import { isPinnable, pinSource } from '../../catalog/pins/pin-source.ts';
import type { Pins } from '../../catalog/pins/pins.ts';
import type { Source } from '../../catalog/source.ts';
import { configuredServer } from '../../catalog/transforms/configured-server.ts';
import type { ExternalEntry, ServerEntry } from '../../config/configuration.ts';
import { downServer } from './down-server.ts';
import { loadLocalServer } from '../modules/load-local-server.ts';
import type { Starting } from './external-server.ts';

/** Makes a server, once `after` is over: two of the same could fight over a port or a file. */
export type MakeSource = (after: Promise<unknown>) => Source;

/** Does what takes time before the server of an entry can be made, as it is before lock and configuration change what it offers. */
export async function prepareSource(entry: ServerEntry, starting: Starting): Promise<MakeSource> {
  if (entry.kind === 'local') {
    const source = await loadLocalServer(entry);
    return () => source;
  }
  // Imported when it is needed: not every box has external servers.
  const { externalServer } = await import('./external-server.ts');
  return (after) => externalServer(entry, starting, after);
}

/** Stands for a server that is not started. */
export function unstartedSource(entry: ExternalEntry): Source {
  return downServer(entry.name, `mcp:${entry.name}`, 'it was not started');
}

/** What of an entry the server itself is made from: when this changes, it has to be another one. */
export function makingOf({ tools: _tools, disabled: _disabled, required: _required, ...entry }: ServerEntry): object {
  if (entry.kind === 'local') return entry;
  const { limits, ...making } = entry;
  // It was told of its workspace when it was connected.
  return { ...making, workspace: limits.workspace };
}

/** A server as it goes into the catalog: what the lock or its pin lets through, in the form that its entry wants. */
export function shapedSource(source: Source, entry: ServerEntry, locked: LockedServer | undefined, pins: Pins): Source {
  const shaped = configuredServer(acceptedSource(source, entry, locked, pins), entry.tools);
  const { required, limits } = entry;
  return {
    ...shaped,
    isPinned: true,
    limits: { ...shaped.limits, ...limits },
    ...(required === undefined ? {} : { required }),
  };
}

/** The committed lock of a server takes the place of its pin. */
function acceptedSource(source: Source, entry: ServerEntry, locked: LockedServer | undefined, pins: Pins): Source {
  if (locked !== undefined) {
    if (isPinnable(source)) pins.adopt(source.server, locked);
    return lockSource(source, locked);
  }
  return isPinned(entry) && isPinnable(source) ? pinSource(source, pins) : source;
}

/** Returns whether the definitions of a server are pinned: code of this process is not, nor is a server whose entry says so. */
export function isPinned(entry: ServerEntry): boolean {
  return entry.kind === 'external' && entry.settings.pin !== false;
}
