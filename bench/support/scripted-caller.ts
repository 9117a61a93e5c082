import { type MessagesServer, startMessagesServer } from '../../test/support/messages-server.ts';
import type { ModelBlock } from '../../test/support/model/model-script.ts';

/** A scripted model that calls one tool when it is told to, and tells how long its client took to come back with the result. */
export class ScriptedCaller {
  readonly #tool: string;
  #server: MessagesServer | undefined;
  #asked = Promise.withResolvers<void>();
  #answer = Promise.withResolvers<readonly ModelBlock[]>();
  #calls = 0;

  constructor(tool: string) {
    this.#tool = tool;
  }

  /** Starts the model's API; returns where it is. */
  async open(): Promise<string> {
    this.#server = await startMessagesServer(() => {
      this.#answer = Promise.withResolvers();
      this.#asked.resolve();
      return this.#answer.promise;
    });
    return this.#server.url;
  }

  /** Resolves when the client waits for what the model says. */
  asked(): Promise<void> {
    return this.#asked.promise;
  }

  /** Calls the tool; returns the milliseconds until the client came with its result. */
  async call(): Promise<number> {
    this.#asked = Promise.withResolvers();
    const startedAt = performance.now();
    this.#answer.resolve([{ type: 'tool_use', name: this.#tool, input: { text: `call ${++this.#calls}` } }]);
    await this.#asked.promise;
    return performance.now() - startedAt;
  }

  /** Ends the turn. */
  finish(): void {
    this.#answer.resolve([{ type: 'text', text: 'done' }]);
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }
}
