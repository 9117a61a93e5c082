import { SlotMap } from '../../core/async/slot-map.ts';
import type { HttpReply } from '../../surfaces/mcp/http/http-types.ts';
import type { Identity } from './identity.ts';

const lookEveryMs = 1000;

/** The requests that holders of tokens have open. A token that is revoked or expires ends them, streams and waiting calls included. */
export class OpenRequests {
  readonly #isStillGood: (identity: Identity) => Promise<boolean>;
  readonly #open = new SlotMap<{ readonly identity: Identity; readonly response: HttpReply }>();
  #isLooking = false;

  constructor(isStillGood: (identity: Identity) => Promise<boolean>) {
    this.#isStillGood = isStillGood;
  }

  /** Keeps an eye on a request until it is answered. */
  add(identity: Identity, response: HttpReply): void {
    // Whoever hung up while their token was looked at has told so already.
    if (response.closed) return;
    const place = this.#open.add({ identity, response });
    response.on('close', () => this.#open.remove(place));
    this.#lookLater();
  }

  /** Tokens are revoked by other processes too, who tell nobody. */
  #lookLater(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    setTimeout(() => void this.#look(), lookEveryMs).unref();
  }

  async #look(): Promise<void> {
    const byToken = Map.groupBy(this.#open, ({ identity }) => identity.token);
    for (const requests of byToken.values()) {
      const { identity } = requests[0] ?? {};
      // Nobody is thrown out because the store cannot be read for a moment.
      const isStillGood = identity === undefined || (await this.#isStillGood(identity).catch(() => true));
      // Without the connection, whatever the request waits for is cancelled like for any caller who hung up.
      if (!isStillGood) for (const { response } of requests) response.destroy();
    }
    this.#isLooking = false;
    if (this.#open.size > 0) this.#lookLater();
  }
}
