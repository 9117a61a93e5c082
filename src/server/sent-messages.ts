import type { SentMessage } from '../sessions/session.ts';
import { dropOldest } from './access/drop-oldest.ts';

const mostKept = 1000;

/** Messages that were sent with a key, so that one that comes again begins no second turn. */
export class SentMessages {
  readonly #sent = new Map<string, Promise<SentMessage>>();

  /** Sends, unless that was done under this key; what could not be sent can be sent again. */
  once(key: readonly string[], send: () => Promise<SentMessage>): Promise<SentMessage> {
    const name = JSON.stringify(key);
    const known = this.#sent.get(name);
    if (known !== undefined) return known;
    const sending = send();
    dropOldest(this.#sent, mostKept);
    this.#sent.set(name, sending);
    sending.catch(() => this.#sent.delete(name));
    return sending;
  }
}
