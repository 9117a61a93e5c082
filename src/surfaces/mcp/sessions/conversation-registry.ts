import { hash } from 'node:crypto';
import type { KeyValueStore } from '../../../journal/store/key-value-store.ts';
import { newId } from '../../../core/identifiers.ts';
import type { Peer } from '../requests/request-context.ts';
import type { ClientName, SeenClient } from '../protocol/client-info.ts';
import { modernVersion } from '../../../core/mcp-protocol.ts';

const idleMs = 30 * 60_000;
/** Given more time at once, so that it need not be written with every call. */
const stepMs = 5 * 60_000;
const kind = 'mcp-conversation';

/** How many conversations are remembered. */
export interface ConversationLimits {
  /** Of one principal (100): clients choose their names, and one that never repeats itself must not push out the others. */
  readonly mostOfOne?: number;
  /** Of principals (10,000). */
  readonly mostPrincipals?: number;
  readonly now?: () => number;
  /** Where other processes find them. */
  readonly keyValues?: KeyValueStore | undefined;
}

interface Conversation {
  readonly name: string;
  readonly since: number;
  readonly principal: string;
  client: ClientName;
  profile: string | undefined;
  seen: number;
  /** Until when other processes find it. */
  until: number;
}

/**
 * Sessions for clients of the revision that has none: what policy knows of earlier calls is kept by session. The same
 * principal with the same client goes on with its own, at whichever process, until it was quiet for half an hour.
 */
export class Conversations {
  /** By principal and client, those last seen at the end. */
  readonly #open = new Map<string, Map<string, Conversation>>();
  readonly #mostOfOne: number;
  readonly #mostPrincipals: number;
  readonly #now: () => number;
  readonly #kept: KeyValueStore | undefined;
  #looked = 0;
  #latest: Conversation | undefined;

  constructor({ mostOfOne = 100, mostPrincipals = 10_000, now = Date.now, keyValues }: ConversationLimits = {}) {
    this.#kept = keyValues;
    this.#mostOfOne = mostOfOne;
    this.#mostPrincipals = mostPrincipals;
    this.#now = now;
  }

  /** The name of the one that a client is in; a promise of it where other processes may know it. */
  of(peer: Peer, client: ClientName): string | Promise<string> {
    const now = this.#now();
    const known = this.#open.get(peer.principal.id)?.get(client.name);
    if (known !== undefined && now - known.seen <= idleMs) return this.#goOn(known, peer, client, now);
    const name = newId('mcp');
    const kept = this.#kept?.add(kind, keyOf(peer.principal.id, client), { text: name, until: now + idleMs + stepMs });
    if (kept === undefined) return this.#begin(name, now + idleMs, peer, client);
    return kept.then(({ text, until }) => this.#begin(text, until, peer, client));
  }

  #begin(name: string, until: number, peer: Peer, client: ClientName): string {
    const { principal, view } = peer;
    const now = this.#now();
    const known = { name, since: now, principal: principal.id, client, profile: view.profile, seen: now, until };
    return this.#goOn(known, peer, client, now);
  }

  #goOn(conversation: Conversation, peer: Peer, client: ClientName, now: number): string {
    const principal = peer.principal.id;
    if (now - this.#looked > idleMs) this.#forgetIdle(now);
    conversation.seen = now;
    conversation.client = client;
    conversation.profile = peer.view.profile;
    if (conversation !== this.#latest) this.#touch(conversation);
    if (now + idleMs > conversation.until) {
      conversation.until = now + idleMs + stepMs;
      // That it cannot be written now costs at most that another process begins a new one.
      this.#kept?.extend(kind, keyOf(principal, client), conversation.until).catch(() => undefined);
    }
    return conversation.name;
  }

  /** Makes it the one that was seen last. */
  #touch(conversation: Conversation): void {
    const { principal, client } = conversation;
    const own = this.#open.get(principal) ?? new Map<string, Conversation>();
    const pushedOut = [
      ...(touch(this.#open, principal, own, this.#mostPrincipals)?.values() ?? []),
      touch(own, client.name, conversation, this.#mostOfOne),
    ];
    for (const each of pushedOut) if (each !== undefined) this.#end(each);
    this.#latest = conversation;
  }

  /** One that no other process has used since is over for all. */
  #end({ principal, client, until }: Conversation): void {
    this.#kept?.take(kind, keyOf(principal, client), until).catch(() => undefined);
  }

  clients(): SeenClient[] {
    return [...this.#open.values()].flatMap((own) =>
      [...own.values()].map(({ name, client, until: _, ...known }) => ({
        ...client,
        ...known,
        session: name,
        protocolVersion: modernVersion,
        isInUse: false,
      })),
    );
  }

  #forgetIdle(now: number): void {
    this.#looked = now;
    for (const [principal, own] of this.#open) {
      for (const [client, { seen }] of own) if (now - seen > idleMs) own.delete(client);
      if (own.size === 0) this.#open.delete(principal);
    }
  }
}

function keyOf(principal: string, { name }: ClientName): string {
  return hash('sha256', JSON.stringify([principal, name]), 'base64url');
}

/** Puts an entry at the end, and takes the first one out when there are too many. */
function touch<Value>(map: Map<string, Value>, key: string, value: Value, most: number): Value | undefined {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size <= most || oldest === undefined) return undefined;
  const taken = map.get(oldest);
  map.delete(oldest);
  return taken;
}
