import {
  type ContentListing,
  type ContentOptions,
  type SourceContent,
  contentListing,
  noContent,
} from '../../../catalog/source/source-content.ts';
import { DefinitionBudget } from '../../../catalog/source/definition-limits.ts';
import { truncate } from '../../../catalog/lock/difference.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import { withoutGatewayFields } from '../../../core/tools/server-result.ts';
import { emitSafely } from '../../../core/async/emit-safely.ts';
import type { Connection } from '../connection/connection.ts';
import type { Supervisor } from '../supervision/supervisor.ts';

const maxNamed = 100;
const maxNotices = 20;

/** The resources and prompts of a server. */
export class RemoteContent implements SourceContent {
  readonly #supervisor: () => Supervisor;
  readonly #onChange: () => void;
  readonly #subscriptions = new Map<string, Subscription>();
  #lists: Record<keyof ContentListing, readonly JsonValue[]> = noContent;
  readonly #notices = new Map<keyof ContentListing, readonly string[]>();
  #text = '';
  #listing = noContent;

  constructor(supervisor: () => Supervisor, onChange: () => void) {
    this.#supervisor = supervisor;
    this.#onChange = onChange;
  }

  /** Notices about entries that exceeded a limit. */
  get notices(): readonly string[] {
    return [...this.#notices.values()].flat();
  }

  get listing(): ContentListing {
    return this.#listing;
  }

  /** Replaces one of the lists. */
  update(list: keyof ContentListing, items: readonly JsonValue[]): void {
    const budget = new DefinitionBudget();
    const notices: string[] = [];
    const limited = items.flatMap((item) => {
      if (!isJsonObject(item)) return [];
      const taken = budget.take(item);
      const named = `${list}: ${truncate(JSON.stringify(item['name'] ?? item['uri'] ?? ''), maxNamed)}`;
      notices.push(
        ...(taken.problem === undefined ? taken.notices : [taken.problem]).map((each) => `${named}: ${each}`),
      );
      return taken.problem === undefined ? [taken.definition] : [];
    });
    this.#notices.set(list, notices.slice(0, maxNotices));
    this.#lists = { ...this.#lists, [list]: limited };
    const listing = contentListing(this.#lists);
    const text = JSON.stringify(listing);
    if (text === this.#text) return;
    this.#text = text;
    this.#listing = listing;
    this.#onChange();
  }

  /** Renews the subscriptions on a new connection. */
  async connected(connection: Connection): Promise<void> {
    await Promise.all(
      [...this.#subscriptions].map(async ([uri, subscription]) => {
        // A subscription that is refused is tried again with the next connection.
        subscription.stop = await connection.subscribe(uri).catch(() => undefined);
      }),
    );
  }

  /** Notifies the subscribers of a resource. */
  updated(uri: string): void {
    for (const listener of this.#subscriptions.get(uri)?.listeners ?? []) emitSafely(listener, undefined);
  }

  async readResource(uri: string, options: ContentOptions): Promise<JsonObject> {
    const result = await this.#request('resources/read', { uri }, options);
    const { ttlMs } = result;
    // The lifetime is the server's to set, the scope of the cache is not.
    const hasLifetime = typeof ttlMs === 'number' && Number.isSafeInteger(ttlMs) && ttlMs >= 0;
    return { ...withoutGatewayFields(result), ...(hasLifetime ? { ttlMs } : {}) };
  }

  async getPrompt(name: string, args: Readonly<Record<string, string>>, options: ContentOptions): Promise<JsonObject> {
    return withoutGatewayFields(await this.#request('prompts/get', { name, arguments: args }, options));
  }

  async complete(request: Parameters<SourceContent['complete']>[0], options: ContentOptions): Promise<JsonObject> {
    return withoutGatewayFields(await this.#request('completion/complete', request as unknown as JsonObject, options));
  }

  async subscribeResource(uri: string, listener: () => void): Promise<() => Promise<void>> {
    // Wrapped, so that the same function can be subscribed twice.
    const own = (): void => listener();
    const known = this.#subscriptions.get(uri);
    const subscription = known ?? { listeners: new Set(), stop: undefined };
    // Before the request, since a notification may arrive together with its response.
    subscription.listeners.add(own);
    if (known === undefined) {
      this.#subscriptions.set(uri, subscription);
      try {
        subscription.stop = await this.#supervisor().connection?.subscribe(uri);
      } catch (error) {
        this.#subscriptions.delete(uri);
        throw error;
      }
    }
    return async () => {
      if (!subscription.listeners.delete(own) || subscription.listeners.size > 0) return;
      this.#subscriptions.delete(uri);
      await subscription.stop?.().catch(() => undefined);
    };
  }

  #request(
    method: string,
    params: JsonObject,
    { signal, onProgress, ...context }: ContentOptions,
  ): Promise<JsonObject> {
    const given = { signal, context, ...(onProgress === undefined ? {} : { onProgress }) };
    return this.#supervisor().run(method, signal, (connection) => connection.request(method, params, given));
  }
}

interface Subscription {
  readonly listeners: Set<() => void>;
  stop: (() => Promise<void>) | undefined;
}
