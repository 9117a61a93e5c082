import type { ServerResponse } from 'node:http';

const lookEveryMs = 1000;

/** The requests that holders of tokens have open. A token that is revoked or expires ends them, streams and waiting calls included. */
export class OpenRequests {
  readonly #isActive: (token: string) => Promise<boolean>;
  readonly #open = new Map<string, Set<ServerResponse>>();
  #isLooking = false;

  constructor(isActive: (token: string) => Promise<boolean>) {
    this.#isActive = isActive;
  }

  /** Keeps an eye on a request until it is answered. */
  add(token: string, response: ServerResponse): void {
    const responses = this.#open.get(token) ?? new Set();
    this.#open.set(token, responses.add(response));
    response.once('close', () => {
      responses.delete(response);
      if (responses.size === 0) this.#open.delete(token);
    });
    this.#lookLater();
  }

  /** Tokens are revoked by other processes too, who tell nobody. */
  #lookLater(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    setTimeout(() => void this.#look(), lookEveryMs).unref();
  }

  async #look(): Promise<void> {
    for (const [token, responses] of this.#open) {
      // Nobody is thrown out because the store cannot be read for a moment.
      const isActive = await this.#isActive(token).catch(() => true);
      // Without the connection, whatever the request waits for is cancelled like for any caller who hung up.
      if (!isActive) for (const response of responses) response.destroy();
    }
    this.#isLooking = false;
    if (this.#open.size > 0) this.#lookLater();
  }
}
