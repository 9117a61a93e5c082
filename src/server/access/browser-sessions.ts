import { timingSafeEqual } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { neverExpires } from '../../journal/store/key-value-store.ts';
import type { Principal } from '../../core/principal.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import { dropOldest } from './drop-oldest.ts';
import { hashOf, newSecretId } from './secret-ids.ts';

/** How long a signed-in browser may be idle, in seconds. */
export const idleSeconds = 30 * 24 * 60 * 60;

const kind = 'sign-in';
const topic = 'sign-outs';
/** So much later than it is, a browser may have been seen last according to what is kept. */
const keepEveryMs = 60 * 60 * 1000;
/** So long it is not asked again whether a browser is still signed in; that one was signed out elsewhere is told. */
const rememberMs = 5000;
const mostRemembered = 10_000;

/** The two secrets of a signed-in browser. Requests for data need both. */
export interface BrowserSecrets {
  /** The value of the cookie, which the browser sends to every server on this host, whatever its port. */
  readonly id: string;
  /** The browser key: given to the page at sign-in, which keeps it in the storage of its own origin. */
  readonly key: string;
}

/** A signed-in browser as the store has it. */
interface SignedIn {
  readonly person: Principal;
  readonly keyHash: string;
}

/** A signed-in browser as it was last read from the store. */
interface FoundBrowser extends SignedIn {
  readonly at: number;
}

/** The browsers that are signed in, at this server and at every other one with the same records and the same admin token. */
export class BrowserSessions {
  /** Cookies know no ports: by its own name, servers with other records do not sign each other's browsers out. */
  readonly cookie: string;
  readonly #shared: InternalSignalbox['shared'];
  readonly #token: string;
  readonly #own = newSecretId();
  /** The browsers that were found to be signed in, by the hash of their id. */
  readonly #found = new Map<string, FoundBrowser>();
  /** How many were signed out: what was read before that may not be true any more. */
  #signedOut = 0;
  /** What a browser has under way, by the hash of its id. */
  readonly #open = new Map<string, Set<ServerResponse>>();
  readonly #stops: readonly (() => void)[];

  private constructor(shared: InternalSignalbox['shared'], token: string, cookie: string) {
    this.cookie = cookie;
    this.#shared = shared;
    this.#token = token;
    this.#stops = [
      shared.pubSub.subscribe(topic, (text) => {
        const { hash, from } = JSON.parse(text) as { hash: string; from: string };
        if (from !== this.#own) this.#end(hash);
      }),
      shared.pubSub.onGap(() => void this.#lookAgain()),
    ];
  }

  /** Whoever was signed in under another admin token is not: a server that changed it lets nobody in whom it let in before. */
  static async with(shared: InternalSignalbox['shared'], token: string): Promise<BrowserSessions> {
    const name = `signalbox-${newSecretId().slice(0, 8)}`;
    const { text } = await shared.keyValues.add('cookie', 'name', { text: name, until: neverExpires });
    return new BrowserSessions(shared, token, text);
  }

  /** Signs a person's browser in. The store gets hashes of both secrets, so that every replica can check them. */
  async open(person: Principal): Promise<BrowserSecrets> {
    const [id, key] = [newSecretId(), newSecretId()];
    const text = JSON.stringify({ person, keyHash: this.#hash(key) } satisfies SignedIn);
    await this.#shared.keyValues.put(kind, this.#hash(id), { text, until: Date.now() + idleSeconds * 1000 });
    return { id, key };
  }

  /** Returns who is signed in at the browser with this id, which is enough for pages; `undefined` when nobody is. Being seen keeps it signed in. */
  async touch(id: string): Promise<Principal | undefined> {
    return (await this.#find(id))?.person;
  }

  /** Returns whether the id and the key are of the same signed-in browser. */
  async isProven({ id, key }: BrowserSecrets): Promise<boolean> {
    const found = await this.#find(id);
    if (found === undefined) return false;
    const [expected, given] = [Buffer.from(found.keyHash), Buffer.from(this.#hash(key))];
    return expected.length === given.length && timingSafeEqual(expected, given);
  }

  /** Ends an answer, streams included, when its browser is signed out. */
  endWith(id: string, response: ServerResponse): void {
    // Whoever hung up before has told so already.
    if (response.closed) return;
    const hash = this.#hash(id);
    const open = this.#open.get(hash) ?? new Set();
    this.#open.set(hash, open.add(response));
    response.once('close', () => {
      open.delete(response);
      if (open.size === 0) this.#open.delete(hash);
    });
  }

  /** Signs a browser out; what it has under way ends, at every server, but for the answer that tells it so. */
  async close(id: string, answer: ServerResponse): Promise<void> {
    const hash = this.#hash(id);
    if (!(await this.#shared.keyValues.take(kind, hash))) return;
    this.#end(hash, answer);
    await this.#shared.pubSub.publish(topic, JSON.stringify({ hash, from: this.#own }));
  }

  /** Stops listening to other servers. */
  stop(): void {
    for (const stop of this.#stops) stop();
  }

  async #find(id: string): Promise<FoundBrowser | undefined> {
    const hash = this.#hash(id);
    const now = Date.now();
    const known = this.#found.get(hash);
    const age = now - (known?.at ?? 0);
    return age >= 0 && age < rememberMs ? known : await this.#look(hash, now);
  }

  async #look(hash: string, now: number): Promise<FoundBrowser | undefined> {
    this.#found.delete(hash);
    const signedOut = this.#signedOut;
    const kept = await this.#shared.keyValues.get(kind, hash);
    const signedIn = kept === undefined ? undefined : parseSignedIn(kept.text);
    if (kept === undefined || signedIn === undefined) return undefined;
    const until = now + idleSeconds * 1000;
    // That it cannot be written for a moment keeps nobody out.
    if (until - kept.until > keepEveryMs) this.#shared.keyValues.extend(kind, hash, until).catch(() => undefined);
    dropOldest(this.#found, mostRemembered);
    const found = { at: now, ...signedIn };
    if (signedOut === this.#signedOut) this.#found.set(hash, found);
    return found;
  }

  /** Somebody may have been signed out without this server being told. */
  async #lookAgain(): Promise<void> {
    this.#found.clear();
    for (const hash of this.#open.keys()) {
      // Nobody is thrown out because the store cannot be read for a moment.
      if ((await this.#look(hash, Date.now()).catch(() => null)) === undefined) this.#end(hash);
    }
  }

  #end(hash: string, answer?: ServerResponse): void {
    this.#found.delete(hash);
    this.#signedOut += 1;
    for (const response of this.#open.get(hash) ?? []) if (response !== answer) response.destroy();
  }

  #hash(id: string): string {
    return hashOf(`${id} ${this.#token}`);
  }
}

/** Returns `undefined` for what earlier versions stored, without a person or a key: those browsers sign in again. */
function parseSignedIn(text: string): SignedIn | undefined {
  if (!text.startsWith('{')) return undefined;
  const { person, keyHash } = JSON.parse(text) as Partial<SignedIn>;
  return person === undefined || keyHash === undefined ? undefined : { person, keyHash };
}
