import { newId } from '../../../model/identifiers.ts';
import type { Peer } from './caller.ts';
import type { ClientName, SeenClient } from './seen-client.ts';
import { modernVersion } from './server-facts.ts';

const idleMs = 30 * 60_000;

/** How many conversations are remembered. */
export interface ConversationLimits {
  /** Of one principal (100): clients choose their names, and one that never repeats itself must not push out the others. */
  readonly mostOfOne?: number;
  /** Of principals (10,000). */
  readonly mostPrincipals?: number;
  readonly now?: () => number;
}

interface Conversation {
  readonly name: string;
  readonly since: number;
  readonly principal: string;
  client: ClientName;
  profile: string | undefined;
  seen: number;
}

/**
 * Sessions for clients of the revision that has none: what policy knows of earlier calls is kept by session. The same
 * principal with the same client goes on with its own, until it was quiet for half an hour.
 */
export class Conversations {
  /** By principal and client, those last seen at the end. */
  readonly #open = new Map<string, Map<string, Conversation>>();
  readonly #mostOfOne: number;
  readonly #mostPrincipals: number;
  readonly #now: () => number;
  #looked = 0;

  constructor({ mostOfOne = 100, mostPrincipals = 10_000, now = Date.now }: ConversationLimits = {}) {
    this.#mostOfOne = mostOfOne;
    this.#mostPrincipals = mostPrincipals;
    this.#now = now;
  }

  of({ principal: { id: principal }, view: { profile } }: Peer, client: ClientName): string {
    const now = this.#now();
    if (now - this.#looked > idleMs) this.#forgetIdle(now);
    const own = this.#open.get(principal) ?? new Map<string, Conversation>();
    touch(this.#open, principal, own, this.#mostPrincipals);
    let conversation = own.get(client.name);
    if (conversation === undefined || now - conversation.seen > idleMs)
      conversation = { name: newId('mcp'), since: now, principal, client, profile, seen: now };
    conversation.seen = now;
    conversation.client = client;
    conversation.profile = profile;
    touch(own, client.name, conversation, this.#mostOfOne);
    return conversation.name;
  }

  clients(): SeenClient[] {
    return [...this.#open.values()].flatMap((own) =>
      [...own.values()].map(({ name, client, ...known }) => ({
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

/** Puts an entry at the end, and takes the first one out when there are too many. */
function touch<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
