import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Refusal, wireCodes } from '../protocol/wire-messages.ts';

/** What says that a body is JSON. */
export const jsonType = /^application\/([a-z0-9.-]+\+)?json\s*(;|$)/i;

/** The text of a request’s body: read now, no further than the limit, unless a framework has read it. */
export async function bodyOf(request: IncomingMessage, read: unknown, maxBytes: number): Promise<string> {
  if (!jsonType.test(request.headers['content-type'] ?? ''))
    throw new Refusal(415, wireCodes.request, 'send the body as JSON, with "Content-Type: application/json"');
  if (typeof read === 'string') return read;
  const bytes = Buffer.isBuffer(read) ? read : read === undefined ? await bytesOf(request, maxBytes) : undefined;
  if (bytes === undefined) return JSON.stringify(read);
  if (!isUtf8(bytes)) throw new Refusal(400, wireCodes.parse, 'the body is not UTF-8');
  return bytes.toString('utf8');
}

async function bytesOf(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (request.readableEnded)
    throw new Error('the body was read before handle() was called: hand it over as the last argument');
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Whoever sends too much is still to be answered, on the same connection.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  } catch {
    throw new Refusal(400, wireCodes.request, 'the connection ended before the body did');
  }
  if (size > maxBytes) throw new Refusal(413, wireCodes.request, `a body may have ${maxBytes} bytes`);
  return Buffer.concat(chunks);
}
