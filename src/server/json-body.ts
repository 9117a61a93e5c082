import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { JsonRejectedError, isLargeJson, readJson, readLargeJson } from '../core/json/read-json.ts';
import { jsonType } from '../surfaces/mcp/http/request-body.ts';
import type { ServerEnvironment } from './environment.ts';
import { Problem } from './problems/problem.ts';

const strict = { disallowComments: true, allowTrailingComma: false };
/** Looking for the fault parses once more, slowly; a large body is not worth it. */
const longestExplained = 256 * 1024;

/** Reads a JSON body within the limits of size, depth and values, and leaves its validation to the route. */
export function readJsonBody(maxBytes: number): MiddlewareHandler<ServerEnvironment> {
  return async (context, next) => {
    const declared = Number(context.req.header('content-length') ?? 0);
    if (declared > maxBytes) throw tooLarge(maxBytes);
    const text = await readText(context.env.incoming, maxBytes);
    const type = context.req.header('content-type');
    if (text !== '' && !jsonType.test(type ?? '')) {
      throw new Problem('body-type-unsupported', 'send the body as JSON, with "Content-Type: application/json"');
    }
    const value = text === '' ? {} : await parse(text);
    // Hono would parse the text again, without the limits.
    Object.assign(context.req, { json: () => Promise.resolve(value) });
    await next();
  };
}

/** Throws the problem with a body that is not JSON, or too complex to be read. */
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

/** Returns the problem that tells where a body stops being JSON. */
export function malformedBody(text: string): Problem {
  let detail = 'the body is not JSON';
  if (text.length <= longestExplained) {
    let found = false;
    const onError = (error: ParseErrorCode, offset: number, _length: number, line: number, character: number): void => {
      if (found) return;
      found = true;
      const place = `line ${line + 1}, column ${character + 1} (position ${offset})`;
      detail = `the body stops being JSON at ${place}: ${printParseErrorCode(error)}`;
    };
    try {
      visit(text, { onError }, strict);
    } catch (error) {
      // The parser recurses: nesting that is deep enough exhausts the stack, and then the place is not told.
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return new Problem('body-malformed', detail);
}

function tooLarge(maxBytes: number): Problem {
  return new Problem('body-too-large', `the body has more than ${maxBytes} bytes, which is the most that is taken`);
}

/** The text of a body; throws the problem with one that is none. */
export function textOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new Problem('body-malformed', 'the body is not UTF-8');
}

/** Straight from Node's stream: the detour over web streams costs more than everything else that a small call does. */
export function readText(incoming: IncomingMessage, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let isOver = false;
    const fail = (problem: Problem): void => {
      isOver = true;
      incoming.pause();
      reject(problem);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else if (!isOver) fail(tooLarge(maxBytes));
    };
    const onEnd = (): void => {
      if (isOver) return;
      isOver = true;
      const [only] = chunks;
      const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
      try {
        resolve(textOf(bytes));
      } catch (error) {
        reject(error);
      }
    };
    // A request that breaks off closes, too; nobody needs to hear of its error besides.
    const onClose = (): void => {
      if (!isOver) fail(new Problem('request-malformed', 'the connection ended before the body did'));
    };
    if (incoming.destroyed) onClose();
    else incoming.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}
