import { hash } from 'node:crypto';
import type { KeptStore } from '../../../../journal/kept-store.ts';
import type { Listing, Shown } from '../view.ts';

const kind = 'mcp-shown';
const keptMs = 24 * 3_600_000;
const renewMs = 3_600_000;

type Definition = ReturnType<Shown['tools']['get']>;

/** What another process showed a client. */
export class KeptShown implements Shown {
  readonly key: string;
  readonly tools: Shown['tools'];

  /** Where it is not known any more what it was, no tool is what was shown: the client lists them again. */
  constructor(key: string, definitionHashes: ReadonlyMap<string, string> | undefined) {
    this.key = key;
    this.tools = {
      get(name): Definition {
        const definitionHash = definitionHashes === undefined ? '' : definitionHashes.get(name);
        return definitionHash === undefined ? undefined : { definitionHash };
      },
    };
  }
}

/** What clients were shown, kept once for all who were shown the same: the names of the tools and the hashes of their definitions. */
export class ShownTools {
  readonly #kept: KeptStore;
  readonly #written = new WeakMap<object, { readonly key: string; readonly text: string }>();
  /** When each was set down last. */
  readonly #keptAt = new Map<string, number>();

  constructor(kept: KeptStore) {
    this.#kept = kept;
  }

  /** Keeps it for another while; the key it is kept under. */
  async keep(shown: Shown): Promise<string> {
    const now = Date.now();
    const { key, text } =
      shown instanceof KeptShown ? { key: shown.key, text: undefined } : this.#write(shown as Listing);
    if (now - (this.#keptAt.get(key) ?? 0) < renewMs) return key;
    for (const [old, at] of this.#keptAt) if (now - at >= renewMs) this.#keptAt.delete(old);
    if (text === undefined) await this.#kept.extend(kind, key, now + keptMs);
    else await this.#kept.put(kind, key, { text, until: now + keptMs });
    this.#keptAt.set(key, now);
    return key;
  }

  async find(key: string): Promise<KeptShown> {
    const kept = await this.#kept.get(kind, key);
    const hashes = kept === undefined ? undefined : new Map(JSON.parse(kept.text) as [string, string][]);
    return new KeptShown(key, hashes);
  }

  #write(listing: Listing): { readonly key: string; readonly text: string } {
    const known = this.#written.get(listing);
    if (known !== undefined) return known;
    const text = JSON.stringify([...listing.tools].map(([name, { definitionHash }]) => [name, definitionHash]));
    const written = { key: hash('sha256', text, 'base64url'), text };
    this.#written.set(listing, written);
    return written;
  }
}
