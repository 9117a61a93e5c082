import { SlotMap } from '../../../core/async/slot-map.ts';
import type { HttpResponse } from '../../../surfaces/mcp/http/http-types.ts';
import type { Identity } from '../identity.ts';

const checkIntervalMs = 1000;

/** Tracks the open requests of token holders, and ends them, streams and waiting calls included, when the token is revoked or expires. */
export class OpenRequests {
  readonly #isStillValid: (identity: Identity) => Promise<boolean>;
  readonly #open = new SlotMap<{ readonly identity: Identity; readonly response: HttpResponse }>();
  #isScheduled = false;

  constructor(isStillValid: (identity: Identity) => Promise<boolean>) {
    this.#isStillValid = isStillValid;
  }

  /** Tracks a request until its response ends. */
  add(identity: Identity, response: HttpResponse): void {
    // The client may have disconnected during the check of its token; `close` is not emitted again.
    if (response.closed) return;
    const slot = this.#open.add({ identity, response });
    response.on('close', () => this.#open.remove(slot));
    this.#scheduleCheck();
  }

  /** Polls, because other processes revoke tokens without a notification. */
  #scheduleCheck(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => void this.#check(), checkIntervalMs).unref();
  }

  async #check(): Promise<void> {
    const byToken = Map.groupBy(this.#open, ({ identity }) => identity.token);
    for (const requests of byToken.values()) {
      const { identity } = requests[0] ?? {};
      // A failed read of the store must not end requests.
      const isStillValid = identity === undefined || (await this.#isStillValid(identity).catch(() => true));
      // Closing the connection cancels the request, as when a client disconnects.
      if (!isStillValid) for (const { response } of requests) response.destroy();
    }
    this.#isScheduled = false;
    if (this.#open.size > 0) this.#scheduleCheck();
  }
}
