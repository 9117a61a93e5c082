import { newId } from '../../../model/identifiers.ts';
import type { Peer } from './caller.ts';
import type { ClientName, SeenClient } from './seen-client.ts';
import { modernVersion } from './server-facts.ts';

const idleMs = 30 * 60_000;
const mostOpen = 10_000;

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
  readonly #open = new Map<string, Conversation>();
  readonly #now: () => number;
  #looked = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  of({ principal: { id: principal }, view: { profile } }: Peer, client: ClientName): string {
    const key = JSON.stringify([principal, client.name]);
    const now = this.#now();
    if (now - this.#looked > idleMs) this.#forgetIdle(now);
    let conversation = this.#open.get(key);
    if (conversation === undefined || now - conversation.seen > idleMs) {
      this.#open.set(key, (conversation = { name: newId('mcp'), since: now, principal, client, profile, seen: now }));
      // Clients choose their names: one that never repeats itself must not fill the memory.
      for (const oldest of this.#open.keys()) {
        if (this.#open.size <= mostOpen) break;
        this.#open.delete(oldest);
      }
    }
    conversation.seen = now;
    conversation.client = client;
    conversation.profile = profile;
    return conversation.name;
  }

  clients(): SeenClient[] {
    return [...this.#open.values()].map(({ name, client, ...known }) => ({
      ...client,
      ...known,
      session: name,
      protocolVersion: modernVersion,
      isInUse: false,
    }));
  }

  #forgetIdle(now: number): void {
    this.#looked = now;
    for (const [key, { seen }] of this.#open) if (now - seen > idleMs) this.#open.delete(key);
  }
}
