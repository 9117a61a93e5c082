import { type MessagesServer, startMessagesServer } from '../../test/support/model/messages-server.ts';
import type { ModelBlock } from '../../test/support/model/model-script.ts';

/** A scripted model that calls one tool on demand, and measures the time until its client returns the result. */
export class ScriptedCaller {
  readonly #tool: string;
  #server: MessagesServer | undefined;
  #requested = Promise.withResolvers<void>();
  #response = Promise.withResolvers<readonly ModelBlock[]>();
  #calls = 0;

  constructor(tool: string) {
    this.#tool = tool;
  }

  /** Starts the model's API and returns its URL. */
  async open(): Promise<string> {
    this.#server = await startMessagesServer(() => {
      this.#response = Promise.withResolvers();
      this.#requested.resolve();
      return this.#response.promise;
    });
    return this.#server.url;
  }

  /** Resolves when the client waits for the model. */
  waitForRequest(): Promise<void> {
    return this.#requested.promise;
  }

  /** Calls the tool. Returns the milliseconds until the client sends its result. */
  async call(): Promise<number> {
    this.#requested = Promise.withResolvers();
    const startedAt = performance.now();
    this.#response.resolve([{ type: 'tool_use', name: this.#tool, input: { text: `call ${++this.#calls}` } }]);
    await this.#requested.promise;
    return performance.now() - startedAt;
  }

  /** Ends the turn. */
  finish(): void {
    this.#response.resolve([{ type: 'text', text: 'done' }]);
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }
}
