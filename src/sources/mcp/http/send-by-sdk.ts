import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** Sends by the SDK's transport. */
export type Send = StreamableHTTPClientTransport['send'];

/** As much of an `AbortSignal` as a request needs. */
export type Cancellation = Pick<AbortSignal, 'aborted' | 'reason' | 'addEventListener' | 'removeEventListener'>;

/** The transport's own way to send. The SDK combines signals, for which they must be real ones; ours may be lighter. */
export function sendBySdk(transport: StreamableHTTPClientTransport): Send {
  const send = transport.send.bind(transport);
  return (message, options) => {
    const given: Cancellation | undefined = options?.requestSignal;
    if (given === undefined || given instanceof AbortSignal) return send(message, options);
    const stream = new AbortController();
    const stop = (): void => stream.abort(given.reason);
    if (given.aborted) stop();
    else given.addEventListener('abort', stop, { once: true });
    return send(message, { ...options, requestSignal: stream.signal });
  };
}
