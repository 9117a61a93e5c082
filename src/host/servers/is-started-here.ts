import type { ExternalEntry, ServerEntry } from '../../config/configuration.ts';

/** Whether Claude reaches a server by itself, so that there is nothing to start here. */
export function isPassed(entry: ServerEntry): boolean {
  return entry.kind === 'external' && entry.settings.passthrough === true;
}

/** Whether an entry is of a server outside that is to run from the start on. */
export function isStartedHere(entry: ServerEntry): entry is ExternalEntry {
  return entry.kind === 'external' && !entry.disabled && !isPassed(entry);
}
