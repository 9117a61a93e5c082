import type { KeyValueStore } from '../../../../journal/store/key-value-store.ts';
import type { PubSub } from '../../../../journal/store/pub-sub.ts';
import type { Store } from '../../../../journal/store/store.ts';
import type { Listing, Shown } from '../../listing/catalog-view.ts';
import { type WireNotification, type WireResponse, Refusal, wireCodes } from '../../protocol/wire-messages.ts';
import type { SessionState } from '../../sessions/legacy-session.ts';
import type { HttpSession } from './http-session.ts';
import { hash } from 'node:crypto';

const kind = 'mcp-session';
const topic = 'mcp-sessions';
/** More time is given this much before it is needed, and for so much at once. */
const marginMs = 60_000;
const stepMs = 5 * 60_000;

/** A session as it is kept. */
interface SessionRecord extends SessionState {
  readonly principal: string;
  readonly profile: string | null;
  readonly since: number;
  readonly shown: string | null;
}

/** A session as another process left it. */
export interface FoundSession {
  readonly record: SessionRecord;
  readonly shown: KeptShown | undefined;
  readonly until: number;
}

/** What another process tells of a session. */
export type SessionNote =
  | { readonly kind: 'changed' | 'ended' }
  /** An answer or a cancellation that came to another process. */
  | { readonly kind: 'message'; readonly message: WireNotification | WireResponse };

/** The sessions of all processes that share a store, each under a hash of its id, so that any of them can go on with one. */
export class KeptSessions {
  readonly #kept: Store['keyValues'];
  readonly #post: PubSub;
  readonly #place: string;
  readonly #shown: ShownTools;
  readonly #idleMs: number;

  constructor({ keyValues, pubSub }: Pick<Store, 'keyValues' | 'pubSub'>, place: string, idleMs: number) {
    this.#kept = keyValues;
    this.#post = pubSub;
    this.#place = place;
    this.#shown = new ShownTools(keyValues);
    this.#idleMs = idleMs;
  }

  /** Sets a session down as it is now, and tells those who know it. */
  async keep(session: HttpSession): Promise<void> {
    const { key, since, conversation } = session;
    const { state, peer, shown } = conversation;
    if (state === undefined) return;
    const until = Date.now() + this.#idleMs + stepMs;
    await asked(async () => {
      const record: SessionRecord = {
        ...state,
        principal: peer.principal.id,
        profile: peer.view.profile ?? null,
        since,
        shown: shown === undefined ? null : await this.#shown.keep(shown),
      };
      await this.#kept.put(kind, key, { text: JSON.stringify(record), until });
      if (session.until > 0) await this.#tell(key, { kind: 'changed' });
    });
    session.until = until;
  }

  /** A session of that key, as it was left last. */
  async find(key: string): Promise<FoundSession | undefined> {
    return await asked(async () => {
      const kept = await this.#kept.get(kind, key);
      if (kept === undefined) return undefined;
      const record = JSON.parse(kept.text) as SessionRecord;
      const shown = record.shown === null ? undefined : await this.#shown.find(record.shown);
      return { record, shown, until: kept.until };
    });
  }

  /** Gives a session that was used at that moment more time, if it needs it. */
  async extend(session: HttpSession, usedAt: number): Promise<void> {
    const needed = usedAt + this.#idleMs;
    if (session.until === 0 || needed + marginMs <= session.until) return;
    const until = needed + stepMs;
    const { shown } = session.conversation;
    if (shown !== undefined) await this.#shown.keep(shown);
    await this.#kept.extend(kind, session.key, until);
    session.until = until;
  }

  /** Ends a session everywhere. */
  async end({ key }: HttpSession): Promise<void> {
    await asked(async () => {
      await this.#kept.take(kind, key);
      await this.#tell(key, { kind: 'ended' });
    });
  }

  /** Ends a session that nobody else has used since. */
  async endUnused({ key, until }: HttpSession): Promise<void> {
    await this.#kept.take(kind, key, until);
  }

  /** Passes an answer or a cancellation on to the process that waits for it. */
  async passOn({ key }: HttpSession, message: WireNotification | WireResponse): Promise<void> {
    await asked(() => this.#tell(key, { kind: 'message', message }));
  }

  /** Listens to what other processes tell of sessions; returns how to stop. */
  listen(onNote: (key: string, note: SessionNote) => void, onGap: () => void): () => void {
    const stops = [
      this.#post.subscribe(topic, (text) => {
        const { from, key, ...note } = JSON.parse(text) as { from: string; key: string } & SessionNote;
        if (from !== this.#place) onNote(key, note);
      }),
      this.#post.onGap(onGap),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  async #tell(key: string, note: SessionNote): Promise<void> {
    await this.#post.publish(topic, JSON.stringify({ from: this.#place, key, ...note }));
  }
}

/** Whether there is such a session cannot be told while the store is away: its client is not to begin anew. */
async function asked<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    const refusal = new Refusal(503, wireCodes.server, 'where sessions are kept does not answer; try again later');
    refusal.cause = cause;
    throw refusal;
  }
}

const shownKind = 'mcp-shown';
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
  readonly #kept: KeyValueStore;
  readonly #written = new WeakMap<object, { readonly key: string; readonly text: string }>();
  /** When each was set down last. */
  readonly #keptAt = new Map<string, number>();

  constructor(kept: KeyValueStore) {
    this.#kept = kept;
  }

  /** Keeps it for another while; the key it is kept under. */
  async keep(shown: Shown): Promise<string> {
    const now = Date.now();
    const { key, text } =
      shown instanceof KeptShown ? { key: shown.key, text: undefined } : this.#write(shown as Listing);
    if (now - (this.#keptAt.get(key) ?? 0) < renewMs) return key;
    for (const [old, at] of this.#keptAt) if (now - at >= renewMs) this.#keptAt.delete(old);
    if (text === undefined) await this.#kept.extend(shownKind, key, now + keptMs);
    else await this.#kept.put(shownKind, key, { text, until: now + keptMs });
    this.#keptAt.set(key, now);
    return key;
  }

  async find(key: string): Promise<KeptShown> {
    const kept = await this.#kept.get(shownKind, key);
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
