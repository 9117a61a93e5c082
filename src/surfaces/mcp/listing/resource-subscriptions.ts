import type { ReadOptions } from '../../../pipeline/box-content.ts';
import type { EndpointBox } from '../endpoint-box.ts';
import type { View } from './catalog-view.ts';
import { WireError, wireCodes } from '../protocol/wire-messages.ts';

const mostWatched = 1000;

/** The resources that one client wants to hear of. */
export class ResourceSubscriptions {
  readonly #box: EndpointBox;
  readonly #optionsOf: () => ReadOptions;
  readonly #onUpdate: (uri: string) => void;
  readonly #stops = new Map<string, Promise<() => Promise<void>>>();

  /** `optionsOf` returns who watches, at the time of each request. */
  constructor(box: EndpointBox, optionsOf: () => ReadOptions, onUpdate: (uri: string) => void) {
    this.#box = box;
    this.#optionsOf = optionsOf;
    this.#onUpdate = onUpdate;
  }

  get uris(): string[] {
    return [...this.#stops.keys()];
  }

  /** Watches these and no others. What cannot be watched is not. */
  replaceAll(view: View, uris: readonly string[]): void {
    const wanted = new Set(uris);
    for (const uri of this.#stops.keys()) if (!wanted.has(uri)) void this.unwatch(uri).catch(() => undefined);
    for (const uri of wanted) void this.watch(view, uri).catch(() => undefined);
  }

  async watch(view: View, uri: string): Promise<void> {
    if (this.#stops.has(uri)) return;
    if (this.#stops.size >= mostWatched)
      throw new WireError(wireCodes.server, `at most ${mostWatched} resources can be watched at a time`);
    const stop = this.#subscribe(view, uri);
    this.#stops.set(uri, stop);
    try {
      await stop;
    } catch (error) {
      this.#stops.delete(uri);
      throw error;
    }
  }

  async unwatch(uri: string): Promise<void> {
    const stop = this.#stops.get(uri);
    this.#stops.delete(uri);
    await (
      await stop
    )?.();
  }

  async #subscribe(view: View, uri: string): Promise<() => Promise<void>> {
    const server = view.listing.serverOf(uri);
    if (server === undefined)
      throw new WireError(wireCodes.resource, `there is no resource ${JSON.stringify(uri.slice(0, 256))}`, { uri });
    return await this.#box.resources.subscribe(server, uri, () => this.#onUpdate(uri), this.#optionsOf());
  }

  close(): void {
    // A server that is gone needs not be told.
    for (const uri of this.#stops.keys()) void this.unwatch(uri).catch(() => undefined);
  }
}
