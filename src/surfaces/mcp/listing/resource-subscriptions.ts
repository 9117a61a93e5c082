import type { ReadOptions } from '../../../pipeline/box-content.ts';
import type { McpBox } from '../mcp-box.ts';
import type { CatalogView } from './catalog-view.ts';
import { WireError, wireCodes } from '../protocol/wire-messages.ts';

const maxSubscriptions = 1000;

/** The resources that one client subscribed to. */
export class ResourceSubscriptions {
  readonly #box: McpBox;
  readonly #optionsOf: () => ReadOptions;
  readonly #onUpdate: (uri: string) => void;
  readonly #stops = new Map<string, Promise<() => Promise<void>>>();

  /** `optionsOf` returns the caller at the time of each subscription. */
  constructor(box: McpBox, optionsOf: () => ReadOptions, onUpdate: (uri: string) => void) {
    this.#box = box;
    this.#optionsOf = optionsOf;
    this.#onUpdate = onUpdate;
  }

  get uris(): string[] {
    return [...this.#stops.keys()];
  }

  /** Subscribes to these resources and to no others. Ignores those that cannot be subscribed to. */
  replaceAll(view: CatalogView, uris: readonly string[]): void {
    const wanted = new Set(uris);
    for (const uri of this.#stops.keys()) if (!wanted.has(uri)) void this.unwatch(uri).catch(() => undefined);
    for (const uri of wanted) void this.watch(view, uri).catch(() => undefined);
  }

  async watch(view: CatalogView, uri: string): Promise<void> {
    if (this.#stops.has(uri)) return;
    if (this.#stops.size >= maxSubscriptions)
      throw new WireError(wireCodes.server, `at most ${maxSubscriptions} subscriptions are allowed at a time`);
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

  async #subscribe(view: CatalogView, uri: string): Promise<() => Promise<void>> {
    const server = view.listing.serverOf(uri);
    if (server === undefined)
      throw new WireError(wireCodes.resource, `there is no resource ${JSON.stringify(uri.slice(0, 256))}`, { uri });
    return await this.#box.resources.subscribe(server, uri, () => this.#onUpdate(uri), this.#optionsOf());
  }

  close(): void {
    // A server that is gone rejects; there is nothing left to unsubscribe.
    for (const uri of this.#stops.keys()) void this.unwatch(uri).catch(() => undefined);
  }
}
