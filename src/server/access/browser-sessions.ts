import type { ServerResponse } from 'node:http';
import { forever } from '../../journal/kept-store.ts';
import type { Principal } from '../../model/principal.ts';
import type { Signalbox } from '../../signalbox.ts';
import { dropOldest } from './drop-oldest.ts';
import { hashOf, newSecretId } from './secret-ids.ts';
import { signedInPerson } from './sign-in-codes.ts';

/** How long a signed-in browser may be idle, in seconds. */
export const idleSeconds = 30 * 24 * 60 * 60;

const kind = 'sign-in';
const topic = 'sign-outs';
/** So much later than it is, a browser may have been seen last according to what is kept. */
const keepEveryMs = 60 * 60 * 1000;
/** So long it is not asked again whether a browser is still signed in; that one was signed out elsewhere is told. */
const rememberMs = 5000;
const mostRemembered = 10_000;

/** The browsers that are signed in, at this server and at every other one with the same records and the same admin token. */
export class BrowserSessions {
  /** Cookies know no ports: by its own name, servers with other records do not sign each other's browsers out. */
  readonly cookie: string;
  readonly #shared: Signalbox['shared'];
  readonly #token: string;
  readonly #own = newSecretId();
  /** Who each was last found to be, and when, by the hash of its id. */
  readonly #found = new Map<string, { readonly person: Principal; readonly at: number }>();
  /** How many were signed out: what was read before that may not be true any more. */
  #signedOut = 0;
  /** What a browser has under way, by the hash of its id. */
  readonly #open = new Map<string, Set<ServerResponse>>();
  readonly #stops: readonly (() => void)[];

  private constructor(shared: Signalbox['shared'], token: string, cookie: string) {
    this.cookie = cookie;
    this.#shared = shared;
    this.#token = token;
    this.#stops = [
      shared.post.on(topic, (text) => {
        const { hash, from } = JSON.parse(text) as { hash: string; from: string };
        if (from !== this.#own) this.#end(hash);
      }),
      shared.post.onGap(() => void this.#lookAgain()),
    ];
  }

  /** Whoever was signed in under another admin token is not: a server that changed it lets nobody in whom it let in before. */
  static async with(shared: Signalbox['shared'], token: string): Promise<BrowserSessions> {
    const name = `signalbox-${newSecretId().slice(0, 8)}`;
    const { text } = await shared.kept.add('cookie', 'name', { text: name, until: forever });
    return new BrowserSessions(shared, token, text);
  }

  /** Signs a browser in; the id goes into its cookie. */
  async open(person: Principal): Promise<string> {
    const id = newSecretId();
    const text = JSON.stringify(person);
    await this.#shared.kept.put(kind, this.#hash(id), { text, until: Date.now() + idleSeconds * 1000 });
    return id;
  }

  /** Returns who is signed in at the browser with this id, `undefined` when nobody is; being seen keeps it signed in. */
  async touch(id: string): Promise<Principal | undefined> {
    const hash = this.#hash(id);
    const now = Date.now();
    const found = this.#found.get(hash);
    const age = now - (found?.at ?? 0);
    return found !== undefined && age >= 0 && age < rememberMs ? found.person : await this.#look(hash, now);
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
    if (!(await this.#shared.kept.take(kind, hash))) return;
    this.#end(hash, answer);
    await this.#shared.post.send(topic, JSON.stringify({ hash, from: this.#own }));
  }

  /** Stops listening to other servers. */
  stop(): void {
    for (const stop of this.#stops) stop();
  }

  async #look(hash: string, now: number): Promise<Principal | undefined> {
    this.#found.delete(hash);
    const signedOut = this.#signedOut;
    const kept = await this.#shared.kept.get(kind, hash);
    const person = signedInPerson(kept?.text);
    if (kept === undefined || person === undefined) return undefined;
    const until = now + idleSeconds * 1000;
    // That it cannot be written for a moment keeps nobody out.
    if (until - kept.until > keepEveryMs) this.#shared.kept.extend(kind, hash, until).catch(() => undefined);
    dropOldest(this.#found, mostRemembered);
    if (signedOut === this.#signedOut) this.#found.set(hash, { person, at: now });
    return person;
  }

  /** Somebody may have been signed out without this server being told. */
  async #lookAgain(): Promise<void> {
    this.#found.clear();
    for (const hash of this.#open.keys()) {
      // Nobody is thrown out because the store cannot be read for a moment.
      const isOut = await this.#look(hash, Date.now()).then(
        (person) => person === undefined,
        () => false,
      );
      if (isOut) this.#end(hash);
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
