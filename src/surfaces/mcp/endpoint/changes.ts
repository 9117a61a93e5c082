import { tell } from '../../../model/tell.ts';
import type { EndpointBox } from './endpoint-box.ts';
import type { ListName } from './pages.ts';
import type { View } from './view.ts';

/** A list of which clients are told that it changed. */
export type ChangingList = 'tools' | 'prompts' | 'resources';

type Listener = (list: ChangingList) => void;

interface Watched {
  readonly listeners: Set<Listener>;
  fingerprints: Readonly<Record<ChangingList, string>>;
}

/** Tells clients which of the lists they see have changed. */
export class Changes {
  readonly #watched = new Map<View, Watched>();
  readonly #stop: () => void;

  constructor(box: EndpointBox) {
    this.#stop = box.on('CatalogChanged', () => {
      for (const [view, watched] of this.#watched) this.#look(view, watched);
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
    this.#watched.clear();
  }

  #look(view: View, watched: Watched): void {
    const now = fingerprintsOf(view);
    const before = watched.fingerprints;
    watched.fingerprints = now;
    for (const list of ['tools', 'prompts', 'resources'] as const)
      if (now[list] !== before[list]) for (const listener of watched.listeners) tell(listener, list);
  }
}

function fingerprintsOf({ listing }: View): Record<ChangingList, string> {
  const of = (list: ListName): string => listing.fingerprint(list);
  return { tools: of('tools'), prompts: of('prompts'), resources: of('resources') + of('resourceTemplates') };
}
