import { toldError } from './to-wire-error.ts';
import { Refusal, WireError, type WireMessage, errorText, idOf, readMessage, wireCodes } from './wire-messages.ts';

/** The one revision in which clients may send several messages as a list. */
const batchVersion = '2025-03-26';
const mostMessages = 100;

/** How the messages of a list are served. */
export interface BatchOptions {
  /** The revision of the conversation. */
  readonly version: string | undefined;
  /** Answers a message, if it is one that is answered. */
  serve(message: WireMessage): Promise<string | Buffer | undefined>;
  log(line: string): void;
}

/** Serves all messages of a list at once; the text of all answers, unless nothing is answered. */
export async function serveBatch(
  messages: readonly unknown[],
  { version, serve, log }: BatchOptions,
): Promise<string | undefined> {
  if (version !== batchVersion)
    throw refusal(`lists of messages are of the revision ${batchVersion} alone; send one message at a time`);
  if (messages.length === 0 || messages.length > mostMessages)
    throw refusal(`a list has between 1 and ${mostMessages} messages`);
  const answers = await Promise.all(
    messages.map(async (value) => {
      try {
        const message = readMessage(value);
        if (message.kind === 'request' && message.method === 'initialize')
          throw new WireError(wireCodes.request, 'initialize is sent by itself');
        return await serve(message);
      } catch (error) {
        return errorText(idOf(value), toldError(error, log));
      }
    }),
  );
  const texts = answers.filter((answer) => answer !== undefined);
  return texts.length === 0 ? undefined : `[${texts.map(String).join(',')}]`;
}

function refusal(problem: string): Refusal {
  return new Refusal(400, wireCodes.request, problem);
}
