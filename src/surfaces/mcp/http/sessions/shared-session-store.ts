import type { KeyValueStore } from '../../../../journal/store/key-value-store.ts';
import type { PubSub } from '../../../../journal/store/pub-sub.ts';
import type { Store } from '../../../../journal/store/store.ts';
import type { Listing, ShownTools } from '../../listing/catalog-view.ts';
import { type WireNotification, type WireResponse, Refusal, wireCodes } from '../../protocol/wire-messages.ts';
import type { SessionState } from '../../sessions/legacy-session.ts';
import type { HttpSession } from './http-session.ts';
import { hash } from 'node:crypto';

const kind = 'mcp-session';
const topic = 'mcp-sessions';
/** The expiry is extended by `stepMs`, at the latest `marginMs` before it is due. */
const marginMs = 60_000;
const stepMs = 5 * 60_000;

/** A session as it is stored. */
interface SessionRecord extends SessionState {
  readonly principal: string;
  readonly profile: string | null;
  readonly since: number;
  readonly shown: string | null;
}

/** A session that another process stored. */
export interface FoundSession {
  readonly record: SessionRecord;
  readonly shown: StoredToolList | undefined;
  readonly until: number;
}

/** A note of another process about a session. */
export type SessionNote =
  | { readonly kind: 'changed' | 'ended' }
  /** A response or a cancellation that another process received. */
  | { readonly kind: 'message'; readonly message: WireNotification | WireResponse };

/** The stored sessions of all processes that share a store, each under a hash of its id. Any process can continue any of them. */
export class SharedSessionStore {
  readonly #store: Store['keyValues'];
  readonly #pubSub: PubSub;
  readonly #address: string;
  readonly #shown: ToolListStore;
  readonly #idleMs: number;

  constructor({ keyValues, pubSub }: Pick<Store, 'keyValues' | 'pubSub'>, address: string, idleMs: number) {
    this.#store = keyValues;
    this.#pubSub = pubSub;
    this.#address = address;
    this.#shown = new ToolListStore(keyValues);
    this.#idleMs = idleMs;
  }

  /** Stores the current state of a session, and notifies the processes that hold it. */
  async save(session: HttpSession): Promise<void> {
    const { key, since, conversation } = session;
    const { state, peer, shown } = conversation;
    if (state === undefined) return;
    const until = Date.now() + this.#idleMs + stepMs;
    await orUnavailable(async () => {
      const record: SessionRecord = {
        ...state,
        principal: peer.principal.id,
        profile: peer.view.profile ?? null,
        since,
        shown: shown === undefined ? null : await this.#shown.save(shown),
      };
      await this.#store.put(kind, key, { text: JSON.stringify(record), until });
      if (session.until > 0) await this.#publish(key, { kind: 'changed' });
    });
    session.until = until;
  }

  /** Loads the session of that key. */
  async find(key: string): Promise<FoundSession | undefined> {
    return await orUnavailable(async () => {
      const stored = await this.#store.get(kind, key);
      if (stored === undefined) return undefined;
      const record = JSON.parse(stored.text) as SessionRecord;
      const shown = record.shown === null ? undefined : await this.#shown.find(record.shown);
      return { record, shown, until: stored.until };
    });
  }

  /** Extends the expiry of a session that was used at that time, if it is due. */
  async extend(session: HttpSession, usedAt: number): Promise<void> {
    const needed = usedAt + this.#idleMs;
    if (session.until === 0 || needed + marginMs <= session.until) return;
    const until = needed + stepMs;
    const { shown } = session.conversation;
    if (shown !== undefined) await this.#shown.save(shown);
    await this.#store.extend(kind, session.key, until);
    session.until = until;
  }

  /** Ends a session everywhere. */
  async end({ key }: HttpSession): Promise<void> {
    await orUnavailable(async () => {
      await this.#store.take(kind, key);
      await this.#publish(key, { kind: 'ended' });
    });
  }

  /** Deletes a session unless another process has extended it. */
  async endUnused({ key, until }: HttpSession): Promise<void> {
    await this.#store.take(kind, key, until);
  }

  /** Forwards a response or a cancellation to the process that waits for it. */
  async forward({ key }: HttpSession, message: WireNotification | WireResponse): Promise<void> {
    await orUnavailable(() => this.#publish(key, { kind: 'message', message }));
  }

  /** Listens to notes of other processes. Returns the function that stops listening. */
  listen(onNote: (key: string, note: SessionNote) => void, onGap: () => void): () => void {
    const stops = [
      this.#pubSub.subscribe(topic, (text) => {
        const { from, key, ...note } = JSON.parse(text) as { from: string; key: string } & SessionNote;
        if (from !== this.#address) onNote(key, note);
      }),
      this.#pubSub.onGap(onGap),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  async #publish(key: string, note: SessionNote): Promise<void> {
    await this.#pubSub.publish(topic, JSON.stringify({ from: this.#address, key, ...note }));
  }
}

/** Rejects with status 503 when the store fails. The client must not conclude that its session is gone. */
async function orUnavailable<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    const refusal = new Refusal(503, wireCodes.server, 'the store of sessions is unavailable; try again later');
    refusal.cause = cause;
    throw refusal;
  }
}

const shownKind = 'mcp-shown';
const listTtlMs = 24 * 3_600_000;
const renewMs = 3_600_000;

type Definition = ReturnType<ShownTools['tools']['get']>;

/** The tools that another process showed a client. */
class StoredToolList implements ShownTools {
  readonly key: string;
  readonly tools: ShownTools['tools'];

  /** When the list has expired, no definition matches, so that the client must list the tools again. */
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

/** Stores the tool names and definition hashes that clients were shown, once for all clients with the same list. */
class ToolListStore {
  readonly #store: KeyValueStore;
  readonly #written = new WeakMap<object, { readonly key: string; readonly text: string }>();
  /** The time at which each list was last stored. */
  readonly #storedAt = new Map<string, number>();

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  /** Stores a list, or extends its expiry. Resolves with its key. */
  async save(shown: ShownTools): Promise<string> {
    const now = Date.now();
    const { key, text } =
      shown instanceof StoredToolList ? { key: shown.key, text: undefined } : this.#write(shown as Listing);
    if (now - (this.#storedAt.get(key) ?? 0) < renewMs) return key;
    for (const [old, at] of this.#storedAt) if (now - at >= renewMs) this.#storedAt.delete(old);
    if (text === undefined) await this.#store.extend(shownKind, key, now + listTtlMs);
    else await this.#store.put(shownKind, key, { text, until: now + listTtlMs });
    this.#storedAt.set(key, now);
    return key;
  }

  async find(key: string): Promise<StoredToolList> {
    const stored = await this.#store.get(shownKind, key);
    const hashes = stored === undefined ? undefined : new Map(JSON.parse(stored.text) as [string, string][]);
    return new StoredToolList(key, hashes);
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
