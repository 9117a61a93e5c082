import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { JsonRejectedError, isLargeJson, readJson, readLargeJson } from '../../core/json/read-json.ts';
import { jsonContentType } from '../../surfaces/mcp/http/request-body.ts';
import type { ServerEnvironment } from './server-context.ts';
import { Problem } from '../problems/problem.ts';

const strict = { disallowComments: true, allowTrailingComma: false };
/** The position of a syntax error is found by a second, slow parser, so it is reported only for bodies up to this length. */
const maxExplainedLength = 256 * 1024;

/** Reads a JSON body within the limits of size, depth and values. The route validates it. */
export function readJsonBody(limitBytes = Number.POSITIVE_INFINITY): MiddlewareHandler<ServerEnvironment> {
  return async (context, next) => {
    const maxBytes = Math.min(limitBytes, context.var.maxBodyBytes);
    const declared = Number(context.req.header('content-length') ?? 0);
    if (declared > maxBytes) throw tooLarge(maxBytes);
    const text = await readBodyText(context.env.incoming, maxBytes);
    const type = context.req.header('content-type');
    if (text !== '' && !jsonContentType.test(type ?? '')) {
      throw new Problem('body-type-unsupported', 'send the body as JSON, with "Content-Type: application/json"');
    }
    const value = text === '' ? {} : await parse(text);
    // Without this, Hono would parse the text again, without the limits.
    Object.assign(context.req, { json: () => Promise.resolve(value) });
    await next();
  };
}

/** Parses a body. Rejects with `body-malformed` when it is not JSON, or exceeds the limits. */
async function parse(text: string): Promise<unknown> {
  try {
    return isLargeJson(text) ? await readLargeJson(text) : readJson(text);
  } catch (error) {
    if (!(error instanceof JsonRejectedError)) throw error;
    throw error.kind === 'malformed'
      ? malformedBody(text)
      : new Problem('body-malformed', `the body: ${error.message}`);
  }
}

/** Returns the problem with the position of the first syntax error. */
export function malformedBody(text: string): Problem {
  let detail = 'the body is not valid JSON';
  if (text.length <= maxExplainedLength) {
    let found = false;
    const onError = (error: ParseErrorCode, offset: number, _length: number, line: number, character: number): void => {
      if (found) return;
      found = true;
      const place = `line ${line + 1}, column ${character + 1} (position ${offset})`;
      detail = `the body is not valid JSON at ${place}: ${printParseErrorCode(error)}`;
    };
    try {
      visit(text, { onError }, strict);
    } catch (error) {
      // The parser is recursive: deep nesting exhausts the stack, and the position is left out.
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return new Problem('body-malformed', detail);
}

function tooLarge(maxBytes: number): Problem {
  return new Problem('body-too-large', `the body has more than ${maxBytes} bytes, the maximum`);
}

/** Decodes a body. Throws `body-malformed` when it is not UTF-8. */
export function decodeUtf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new Problem('body-malformed', 'the body is not UTF-8');
}

/** Reads a body from Node's stream. A web stream would cost more than all other work of a small call. */
export function readBodyText(incoming: IncomingMessage, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let isSettled = false;
    const fail = (problem: Problem): void => {
      isSettled = true;
      incoming.pause();
      reject(problem);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else if (!isSettled) fail(tooLarge(maxBytes));
    };
    const onEnd = (): void => {
      if (isSettled) return;
      isSettled = true;
      const [only] = chunks;
      const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
      try {
        resolve(decodeUtf8(bytes));
      } catch (error) {
        reject(error);
      }
    };
    // An aborted request emits `close` too, so its `error` needs no handler.
    const onClose = (): void => {
      if (!isSettled) fail(new Problem('request-malformed', 'the connection ended before the body did'));
    };
    if (incoming.destroyed) onClose();
    else incoming.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}
