import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Refusal, wireCodes } from '../protocol/wire-messages.ts';

/** Matches the content types of JSON. */
export const jsonContentType = /^application\/([a-z0-9.-]+\+)?json\s*(;|$)/i;

/** Returns the text of a request’s body. Reads it up to the limit, unless a framework has already read it. */
export async function readRequestBody(request: IncomingMessage, read: unknown, maxBytes: number): Promise<string> {
  if (!jsonContentType.test(request.headers['content-type'] ?? ''))
    throw new Refusal(415, wireCodes.request, 'send the body as JSON, with "Content-Type: application/json"');
  if (typeof read === 'string') return read;
  const bytes = Buffer.isBuffer(read) ? read : read === undefined ? await bytesOf(request, maxBytes) : undefined;
  if (bytes === undefined) return JSON.stringify(read);
  if (!isUtf8(bytes)) throw new Refusal(400, wireCodes.parse, 'the body is not UTF-8');
  return bytes.toString('utf8');
}

async function bytesOf(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (request.readableEnded)
    throw new Error('the body was read before handle() was called: pass it as the last argument');
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // The connection stays open for the error response.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  } catch {
    throw new Refusal(400, wireCodes.request, 'the connection ended before the body did');
  }
  if (size > maxBytes) throw new Refusal(413, wireCodes.request, `a body may have at most ${maxBytes} bytes`);
  return Buffer.concat(chunks);
}
