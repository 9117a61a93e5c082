import { emitSafely } from '../../../core/async/emit-safely.ts';
import type { McpBox } from '../mcp-box.ts';
import type { ListName } from './list-pages.ts';
import type { CatalogView } from './catalog-view.ts';

/** A list whose changes clients are notified of. */
export type ChangingList = 'tools' | 'prompts' | 'resources';

type Listener = (list: ChangingList) => void;

interface Watched {
  readonly listeners: Set<Listener>;
  fingerprints: Readonly<Record<ChangingList, string>>;
}

/** The maximum delay of a notification while servers start, so that one notification covers many servers. */
const maxDelayMs = 5000;

/** Notifies clients of changed lists. While servers start, one notification covers many of them. */
export class ListChangeNotifier {
  readonly #watched = new Map<CatalogView, Watched>();
  readonly #stop: () => void;
  #delayed: NodeJS.Timeout | undefined;

  constructor(box: McpBox) {
    this.#stop = box.on('CatalogChanged', ({ servers }) => {
      const isStarting = servers.some(({ connecting }) => connecting === true);
      if (!isStarting && this.#delayed === undefined) this.#checkAll();
      // Pending list requests are answered first, so that their clients are not notified.
      else if (!isStarting) setImmediate(() => this.#checkAll());
      else this.#delayed ??= setTimeout(() => this.#checkAll(), maxDelayMs).unref();
    });
  }

  /** Calls the listener when a list of a view changes. Returns the function that removes the listener. */
  listen(view: CatalogView, listener: Listener): () => void {
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

  #checkAll(): void {
    clearTimeout(this.#delayed);
    this.#delayed = undefined;
    for (const [view, watched] of this.#watched) this.#check(view, watched);
  }

  #check(view: CatalogView, watched: Watched): void {
    const now = fingerprintsOf(view);
    const before = watched.fingerprints;
    watched.fingerprints = now;
    for (const list of ['tools', 'prompts', 'resources'] as const)
      if (now[list] !== before[list]) for (const listener of watched.listeners) emitSafely(listener, list);
  }
}

function fingerprintsOf({ listing }: CatalogView): Record<ChangingList, string> {
  const of = (list: ListName): string => listing.fingerprint(list);
  return { tools: of('tools'), prompts: of('prompts'), resources: of('resources') + of('resourceTemplates') };
}
