import { emitSafely } from '../../../core/async/emit-safely.ts';
import type { EndpointBox } from '../endpoint-box.ts';
import type { ListName } from './list-pages.ts';
import type { View } from './catalog-view.ts';

/** A list of which clients are told that it changed. */
export type ChangingList = 'tools' | 'prompts' | 'resources';

type Listener = (list: ChangingList) => void;

interface Watched {
  readonly listeners: Set<Listener>;
  fingerprints: Readonly<Record<ChangingList, string>>;
}

/** How long a change is delayed while servers start, so that one notification covers many servers. */
const maxDelayMs = 5000;

/** Notifies clients of changed lists. While servers start, one notification covers many of them. */
export class Changes {
  readonly #watched = new Map<View, Watched>();
  readonly #stop: () => void;
  #delayed: NodeJS.Timeout | undefined;

  constructor(box: EndpointBox) {
    this.#stop = box.on('CatalogChanged', ({ servers }) => {
      const isStarting = servers.some(({ connecting }) => connecting === true);
      if (!isStarting && this.#delayed === undefined) this.#lookAtAll();
      // Lists that waited for the last server are answered first, so that their clients are not notified.
      else if (!isStarting) setImmediate(() => this.#lookAtAll());
      else this.#delayed ??= setTimeout(() => this.#lookAtAll(), maxDelayMs).unref();
    });
  }

  /** Listens for changes of what a view shows; returns how to stop. */
  listen(view: View, listener: Listener): () => void {
    const watched = this.#watched.get(view) ?? { listeners: new Set(), fingerprints: fingerprintsOf(view) };
    this.#watched.set(view, watched);
    watched.listeners.add(listener);
    return () => {
      watched.listeners.delete(listener);
      if (watched.listeners.size === 0 && this.#watched.get(view) === watched) this.#watched.delete(view);
    };
  }

  close(): void {
    this.#stop();
    clearTimeout(this.#delayed);
    this.#watched.clear();
  }

  #lookAtAll(): void {
    clearTimeout(this.#delayed);
    this.#delayed = undefined;
    for (const [view, watched] of this.#watched) this.#look(view, watched);
  }

  #look(view: View, watched: Watched): void {
    const now = fingerprintsOf(view);
    const before = watched.fingerprints;
    watched.fingerprints = now;
    for (const list of ['tools', 'prompts', 'resources'] as const)
      if (now[list] !== before[list]) for (const listener of watched.listeners) emitSafely(listener, list);
  }
}

function fingerprintsOf({ listing }: View): Record<ChangingList, string> {
  const of = (list: ListName): string => listing.fingerprint(list);
  return { tools: of('tools'), prompts: of('prompts'), resources: of('resources') + of('resourceTemplates') };
}
