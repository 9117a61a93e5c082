import { hash } from 'node:crypto';
import type { KeyValueStore } from '../../../journal/store/key-value-store.ts';
import { newId } from '../../../core/identifiers.ts';
import type { Peer } from '../requests/request-context.ts';
import type { ClientName, RecentClient } from '../protocol/client-info.ts';
import { modernVersion } from '../../../core/mcp-protocol.ts';

const idleMs = 30 * 60_000;
/** The stored expiry is extended by this much at once, so that it is not written with every call. */
const stepMs = 5 * 60_000;
const kind = 'mcp-conversation';

/** Options of `ConversationRegistry`. */
export interface ConversationLimits {
  /** The maximum of one principal (default 100). Clients choose their names, so one with ever new names must not evict the others. */
  readonly maxPerPrincipal?: number;
  /** The maximum number of principals (default 10,000). */
  readonly maxPrincipals?: number;
  readonly now?: () => number;
  /** The store that processes share. */
  readonly keyValues?: KeyValueStore | undefined;
}

interface Conversation {
  readonly name: string;
  readonly since: number;
  readonly principal: string;
  client: ClientName;
  profile: string | undefined;
  seen: number;
  /** The expiry time of its stored entry. */
  until: number;
}

/**
 * Assigns a session id to clients of revision 2026-07-28, which has no sessions, because policies evaluate earlier calls by session. The same
 * principal with the same client keeps its session, in any process, until it is idle for half an hour.
 */
export class ConversationRegistry {
  /** By principal and client name, in the order of last use. */
  readonly #open = new Map<string, Map<string, Conversation>>();
  readonly #maxPerPrincipal: number;
  readonly #maxPrincipals: number;
  readonly #now: () => number;
  readonly #store: KeyValueStore | undefined;
  #lastCleanup = 0;
  #latest: Conversation | undefined;

  constructor({ maxPerPrincipal = 100, maxPrincipals = 10_000, now = Date.now, keyValues }: ConversationLimits = {}) {
    this.#store = keyValues;
    this.#maxPerPrincipal = maxPerPrincipal;
    this.#maxPrincipals = maxPrincipals;
    this.#now = now;
  }

  /** Returns the session id of a client; a promise where the store must be queried. */
  of(peer: Peer, client: ClientName): string | Promise<string> {
    const now = this.#now();
    const known = this.#open.get(peer.principal.id)?.get(client.name);
    if (known !== undefined && now - known.seen <= idleMs) return this.#resume(known, peer, client, now);
    const name = newId('mcp');
    const stored = this.#store?.add(kind, keyOf(peer.principal.id, client), {
      text: name,
      until: now + idleMs + stepMs,
    });
    if (stored === undefined) return this.#begin(name, now + idleMs, peer, client);
    return stored.then(({ text, until }) => this.#begin(text, until, peer, client));
  }

  #begin(name: string, until: number, peer: Peer, client: ClientName): string {
    const { principal, view } = peer;
    const now = this.#now();
    const known = { name, since: now, principal: principal.id, client, profile: view.profile, seen: now, until };
    return this.#resume(known, peer, client, now);
  }

  #resume(conversation: Conversation, peer: Peer, client: ClientName, now: number): string {
    const principal = peer.principal.id;
    if (now - this.#lastCleanup > idleMs) this.#forgetIdle(now);
    conversation.seen = now;
    conversation.client = client;
    conversation.profile = peer.view.profile;
    if (conversation !== this.#latest) this.#touch(conversation);
    if (now + idleMs > conversation.until) {
      conversation.until = now + idleMs + stepMs;
      // If this fails, another process may begin a new session.
      this.#store?.extend(kind, keyOf(principal, client), conversation.until).catch(() => undefined);
    }
    return conversation.name;
  }

  /** Marks it as most recently used, and evicts the least recently used one at a limit. */
  #touch(conversation: Conversation): void {
    const { principal, client } = conversation;
    const own = this.#open.get(principal) ?? new Map<string, Conversation>();
    const evicted = [
      ...(touch(this.#open, principal, own, this.#maxPrincipals)?.values() ?? []),
      touch(own, client.name, conversation, this.#maxPerPrincipal),
    ];
    for (const each of evicted) if (each !== undefined) this.#end(each);
    this.#latest = conversation;
  }

  /** Deletes its stored entry unless another process has extended it. */
  #end({ principal, client, until }: Conversation): void {
    this.#store?.take(kind, keyOf(principal, client), until).catch(() => undefined);
  }

  clients(): RecentClient[] {
    const since = this.#now() - idleMs;
    const recent = [...this.#open.values()].flatMap((own) => [...own.values()].filter(({ seen }) => seen >= since));
    return recent.map(({ name, client, until: _, ...known }) => ({
      ...client,
      ...known,
      session: name,
      protocolVersion: modernVersion,
      isInUse: false,
    }));
  }

  #forgetIdle(now: number): void {
    this.#lastCleanup = now;
    for (const [principal, own] of this.#open) {
      for (const [client, { seen }] of own) if (now - seen > idleMs) own.delete(client);
      if (own.size === 0) this.#open.delete(principal);
    }
  }
}

function keyOf(principal: string, { name }: ClientName): string {
  return hash('sha256', JSON.stringify([principal, name]), 'base64url');
}

/** Moves an entry to the end. Removes and returns the first one when there are too many. */
function touch<Value>(map: Map<string, Value>, key: string, value: Value, max: number): Value | undefined {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size <= max || oldest === undefined) return undefined;
  const taken = map.get(oldest);
  map.delete(oldest);
  return taken;
}
