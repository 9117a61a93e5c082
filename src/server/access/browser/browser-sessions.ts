import { timingSafeEqual } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { neverExpires } from '../../../journal/store/key-value-store.ts';
import type { Principal } from '../../../core/principal.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { evictOldest } from '../evict-oldest.ts';
import { hashSecret, randomSecret } from '../random-secrets.ts';

/** The time after which an unused browser session ends. */
export const maxIdleSeconds = 30 * 24 * 60 * 60;

const kind = 'sign-in';
const topic = 'sign-outs';
/** The minimum time between two extensions of the stored expiry. */
const extendEveryMs = 60 * 60 * 1000;
/** The time for which a session is cached. Other replicas publish sign-outs, which end it sooner. */
const cacheTtlMs = 5000;
const maxCachedSessions = 10_000;

/** The two secrets of a browser session. Requests for data need both. */
interface BrowserSecrets {
  /** The value of the cookie, which the browser sends to every server on this host, whatever its port. */
  readonly id: string;
  /** The browser key, which the page stores at sign-in in the storage of its own origin. */
  readonly key: string;
}

/** A stored browser session. */
interface SignedIn {
  readonly person: Principal;
  readonly keyHash: string;
}

/** A browser session as last read from the store. */
interface CachedSession extends SignedIn {
  readonly at: number;
}

/** The signed-in browsers of all replicas, which share a store and an admin token. */
export class BrowserSessions {
  /** Unique for each store, because cookies are shared by all ports of a host: servers with other stores must not overwrite it. */
  readonly cookie: string;
  readonly #shared: InternalSignalbox['shared'];
  readonly #token: string;
  readonly #replicaId = randomSecret();
  /** Sessions by the hash of their id. */
  readonly #cache = new Map<string, CachedSession>();
  /** Counts sign-outs: a session that was read before one is not cached. */
  #signedOut = 0;
  /** The open responses of a browser, by the hash of its id. */
  readonly #open = new Map<string, Set<ServerResponse>>();
  readonly #unsubscribe: readonly (() => void)[];

  private constructor(shared: InternalSignalbox['shared'], token: string, cookie: string) {
    this.cookie = cookie;
    this.#shared = shared;
    this.#token = token;
    this.#unsubscribe = [
      shared.pubSub.subscribe(topic, (text) => {
        const { hash, from } = JSON.parse(text) as { hash: string; from: string };
        if (from !== this.#replicaId) this.#end(hash);
      }),
      shared.pubSub.onGap(() => void this.#recheckOpen()),
    ];
  }

  /** Opens the sessions. A session is valid only with the admin token that it was created with. */
  static async open(shared: InternalSignalbox['shared'], token: string): Promise<BrowserSessions> {
    const name = `signalbox-${randomSecret().slice(0, 8)}`;
    const { text } = await shared.keyValues.add('cookie', 'name', { text: name, until: neverExpires });
    return new BrowserSessions(shared, token, text);
  }

  /** Signs in a browser. The store gets hashes of both secrets, so that every replica can check them. */
  async create(person: Principal): Promise<BrowserSecrets> {
    const [id, key] = [randomSecret(), randomSecret()];
    const text = JSON.stringify({ person, keyHash: this.#hash(key) } satisfies SignedIn);
    await this.#shared.keyValues.put(kind, this.#hash(id), { text, until: Date.now() + maxIdleSeconds * 1000 });
    return { id, key };
  }

  /** Returns the person who is signed in with this cookie, or `undefined`, and extends the session. Sufficient for pages only. */
  async touch(id: string): Promise<Principal | undefined> {
    return (await this.#find(id))?.person;
  }

  /** Returns whether the id and the key belong to the same session. */
  async isProven({ id, key }: BrowserSecrets): Promise<boolean> {
    const found = await this.#find(id);
    if (found === undefined) return false;
    const [expected, actual] = [Buffer.from(found.keyHash), Buffer.from(this.#hash(key))];
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  }

  /** Ends a response, streams included, when its browser is signed out. */
  endWith(id: string, response: ServerResponse): void {
    // `close` is not emitted again.
    if (response.closed) return;
    const hash = this.#hash(id);
    const open = this.#open.get(hash) ?? new Set();
    this.#open.set(hash, open.add(response));
    response.once('close', () => {
      open.delete(response);
      if (open.size === 0) this.#open.delete(hash);
    });
  }

  /** Signs out a browser. Its open responses end at every replica, except `answer`. */
  async close(id: string, answer: ServerResponse): Promise<void> {
    const hash = this.#hash(id);
    if (!(await this.#shared.keyValues.take(kind, hash))) return;
    this.#end(hash, answer);
    await this.#shared.pubSub.publish(topic, JSON.stringify({ hash, from: this.#replicaId }));
  }

  /** Unsubscribes from the other replicas. */
  stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  async #find(id: string): Promise<CachedSession | undefined> {
    const hash = this.#hash(id);
    const now = Date.now();
    const known = this.#cache.get(hash);
    const age = now - (known?.at ?? 0);
    return age >= 0 && age < cacheTtlMs ? known : await this.#read(hash, now);
  }

  async #read(hash: string, now: number): Promise<CachedSession | undefined> {
    this.#cache.delete(hash);
    const signedOut = this.#signedOut;
    const stored = await this.#shared.keyValues.get(kind, hash);
    const signedIn = stored === undefined ? undefined : parseSignedIn(stored.text);
    if (stored === undefined || signedIn === undefined) return undefined;
    const until = now + maxIdleSeconds * 1000;
    // A failed write must not sign anybody out.
    if (until - stored.until > extendEveryMs) this.#shared.keyValues.extend(kind, hash, until).catch(() => undefined);
    evictOldest(this.#cache, maxCachedSessions);
    const found = { at: now, ...signedIn };
    if (signedOut === this.#signedOut) this.#cache.set(hash, found);
    return found;
  }

  /** Checks the sessions with open responses again, after sign-outs may have been missed. */
  async #recheckOpen(): Promise<void> {
    this.#cache.clear();
    for (const hash of this.#open.keys()) {
      // A failed read must not sign anybody out.
      if ((await this.#read(hash, Date.now()).catch(() => null)) === undefined) this.#end(hash);
    }
  }

  #end(hash: string, answer?: ServerResponse): void {
    this.#cache.delete(hash);
    this.#signedOut += 1;
    for (const response of this.#open.get(hash) ?? []) if (response !== answer) response.destroy();
  }

  #hash(id: string): string {
    return hashSecret(`${id} ${this.#token}`);
  }
}

/** Returns `undefined` for a record without a person or a key. */
function parseSignedIn(text: string): SignedIn | undefined {
  if (!text.startsWith('{')) return undefined;
  const { person, keyHash } = JSON.parse(text) as Partial<SignedIn>;
  return person === undefined || keyHash === undefined ? undefined : { person, keyHash };
}
