import type { IncomingMessage } from 'node:http';
import { type AbortSignalLike, abortReason } from '../../../core/async/light-abort-signal.ts';
import type { Asked } from './ask.ts';
import { beforeNextTurn, together } from './end-of-turn.ts';
import { takeAnswer } from './guarded-fetch.ts';
import type { KeptSockets } from './kept-sockets.ts';
import { isJson } from './plain-answer.ts';

/** A call on its way to a server. */
export interface Post {
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: string;
  readonly signal: AbortSignalLike | undefined;
  readonly largestAnswer: number;
  /** Takes a JSON document where it comes, in whatever asynchronous context; or leaves it. */
  take(document: unknown): boolean;
}

/** An answer that was left: a document, or something else than one. */
export type Left = { readonly document: unknown } | { readonly incoming: IncomingMessage };

/**
 * Posts a call, and resolves when its answer was taken, or else with the answer. With callbacks and few objects, because every call
 * pays for them. When it is cancelled its connection is closed, also while what was left is being read.
 */
export function post(
  sockets: KeptSockets,
  { headers, body, signal, largestAnswer, take }: Post,
): Promise<Left | undefined> {
  return new Promise((resolve, reject) => {
    let request: Asked | undefined;
    const cancel = (): void => {
      const reason = abortReason(signal ?? { reason: 'cancelled' });
      request?.destroy(reason);
      reject(reason);
    };
    const release = (): void => signal?.removeEventListener('abort', cancel);
    const failed = (error: unknown): void => {
      release();
      reject(error);
    };
    const taken = (text: string): void => {
      release();
      together(() => {
        let left: Left | undefined;
        try {
          const document: unknown = JSON.parse(text);
          if (!take(document)) left = { document };
        } catch (error) {
          reject(error);
          return;
        }
        resolve(left);
      });
    };
    const left = (incoming: IncomingMessage): void => {
      if (incoming.statusCode === 200 && isJson.test(incoming.headers['content-type'] ?? '')) {
        takeAnswer(incoming, largestAnswer, (bytes) => taken(bytes.toString()), failed);
        return;
      }
      incoming.on('close', release);
      resolve({ incoming });
    };
    const send = (): void => {
      if (signal?.aborted === true) return;
      try {
        request = sockets.post(headers, body, { taken, left, failed });
      } catch (error) {
        failed(error);
      }
    };
    if (signal?.aborted === true) return cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    // Requests of one turn leave right after each other: the server is woken once for all of them.
    beforeNextTurn(send);
  });
}
