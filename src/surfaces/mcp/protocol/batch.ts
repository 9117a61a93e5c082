import { toWireError } from './to-wire-error.ts';
import { Refusal, WireError, type WireMessage, errorText, idOf, readMessage, wireCodes } from './wire-messages.ts';

/** The only revision with JSON-RPC batches. */
const batchVersion = '2025-03-26';
const maxMessages = 100;

/** Options of `serveBatch`. */
export interface BatchOptions {
  /** The revision of the session. */
  readonly version: string | undefined;
  /** Serves a message; resolves with the response of a request. */
  serve(message: WireMessage): Promise<string | Buffer | undefined>;
  log(line: string): void;
}

/** Serves all messages of a batch in parallel. Resolves with the text of the responses; `undefined` when there are none. */
export async function serveBatch(
  messages: readonly unknown[],
  { version, serve, log }: BatchOptions,
): Promise<string | undefined> {
  if (version !== batchVersion)
    throw badRequest(`only revision ${batchVersion} has batches; send one message at a time`);
  if (messages.length === 0 || messages.length > maxMessages)
    throw badRequest(`a batch has between 1 and ${maxMessages} messages`);
  const answers = await Promise.all(
    messages.map(async (value) => {
      try {
        const message = readMessage(value);
        if (message.kind === 'request' && message.method === 'initialize')
          throw new WireError(wireCodes.request, 'initialize cannot be part of a batch');
        return await serve(message);
      } catch (error) {
        return errorText(idOf(value), toWireError(error, log));
      }
    }),
  );
  const texts = answers.filter((answer) => answer !== undefined);
  return texts.length === 0 ? undefined : `[${texts.map(String).join(',')}]`;
}

function badRequest(problem: string): Refusal {
  return new Refusal(400, wireCodes.request, problem);
}
