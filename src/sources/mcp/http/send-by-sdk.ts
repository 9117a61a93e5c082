import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type AbortSignalLike, toAbortSignal } from '../../../core/async/light-abort-signal.ts';

/** Sends by the SDK's transport. */
export type Send = StreamableHTTPClientTransport['send'];

/** The transport's own way to send. The SDK combines signals, for which they must be real ones; ours may be lighter. */
export function sendBySdk(transport: StreamableHTTPClientTransport): Send {
  const send = transport.send.bind(transport);
  return (message, options) => {
    const given: AbortSignalLike | undefined = options?.requestSignal;
    return send(message, given === undefined ? options : { ...options, requestSignal: toAbortSignal(given) });
  };
}
