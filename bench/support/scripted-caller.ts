import { type MessagesServer, startMessagesServer } from '../../test/support/model/messages-server.ts';
import type { ModelBlock } from '../../test/support/model/model-script.ts';

/** A scripted model that calls one tool on demand, and measures the time until its client returns the result. */
export class ScriptedCaller {
  readonly #tool: string;
  #server: MessagesServer | undefined;
  #asked = Promise.withResolvers<void>();
  #answer = Promise.withResolvers<readonly ModelBlock[]>();
  #calls = 0;

  constructor(tool: string) {
    this.#tool = tool;
  }

  /** Starts the model's API and returns its URL. */
  async open(): Promise<string> {
    this.#server = await startMessagesServer(() => {
      this.#answer = Promise.withResolvers();
      this.#asked.resolve();
      return this.#answer.promise;
    });
    return this.#server.url;
  }

  /** Resolves when the client waits for the model. */
  asked(): Promise<void> {
    return this.#asked.promise;
  }

  /** Calls the tool. Returns the milliseconds until the client sends its result. */
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
