import type { Readable, Writable } from 'node:stream';
import { MessageReader } from '../../../process/message-reader.ts';
import { WireError, errorText, idOf, wireCodes } from '../protocol/wire-messages.ts';

const largestMessage = 16 * 1024 * 1024;

/** A client on stdio that cannot be served, and the reason. */
export interface RefusedClient {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
  readonly message: string;
  /** The error code, and the next step. */
  readonly data: { readonly code: string; readonly next: string };
}

/**
 * Answers every request of a client with one error until its input ends. Clients show the error of `initialize`, but for a program that
 * exits they only show that the connection was closed.
 */
export async function refuseStdio({ input, output, signal, message, data }: RefusedClient): Promise<void> {
  const error = new WireError(wireCodes.server, message, data);
  const answer = (id: ReturnType<typeof idOf>): void => {
    if (!output.destroyed && !output.writableEnded) output.write(`${errorText(id, error)}\n`);
  };
  await new Promise<void>((resolve) => {
    const reader = new MessageReader({
      maxMessageBytes: largestMessage,
      onMessage(received) {
        // Notifications and responses have no answer.
        if ('method' in received && 'id' in received) answer(idOf(received));
      },
      onNoise: () => answer(null),
      onTooLarge: () => answer(null),
    });
    input.on('data', (chunk: Buffer) => reader.read(chunk));
    for (const end of ['end', 'close', 'error']) input.once(end, () => resolve());
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  input.pause();
}
