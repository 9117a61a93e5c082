import { SdkError, SdkErrorCode, SseError } from '@modelcontextprotocol/client';
import { messageOf } from '../../../core/errors.ts';
import { httpStatusOf } from './http-errors.ts';

const maxQuotedLength = 200;

/** The explanation of a system error, by code. */
const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; start the server, or correct its url',
  ENOTFOUND: 'this host is not known; correct its url, or look at your network',
  EAI_AGAIN: 'its name cannot be looked up now; look at your network',
  EHOSTUNREACH: 'there is no way to this host; look at your network',
  ENETUNREACH: 'there is no way to this host; look at your network',
  ECONNRESET: 'it closed the connection; see whether it speaks MCP over HTTP there',
  UND_ERR_SOCKET: 'it closed the connection; see whether it speaks MCP over HTTP there',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer; look at your network, or try again',
  ETIMEDOUT: 'it did not answer; look at your network, or try again',
};

/** Converts a connection error to one that says what was tried, what failed and what to do next. */
export function explainHttpError(error: unknown, url: string): Error {
  const where = URL.canParse(url) ? new URL(url).origin : 'its address';
  const explain = (text: string): Error => new Error(`${where} ${text}`, { cause: error });
  const status = error instanceof SseError && error.code !== 0 ? error.code : httpStatusOf(error);
  if (status !== undefined) return explain(`answered with HTTP ${status}${responseText(error)}; ${adviceFor(status)}`);
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = codeOf(at);
    // Our own errors already say what is wrong and what to do.
    if (code.startsWith('SIGNALBOX_')) return new Error(at.message, { cause: error });
    const meaning = meanings[code] ?? (/CERT|TLS/.test(code) ? 'its certificate is not trusted' : undefined);
    if (meaning !== undefined) return explain(`could not be connected to (${code}): ${meaning}`);
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return explain('did not answer in time; see whether it speaks MCP there, or try again');
  return explain(`could not be connected to: ${withoutPreamble(error)}`);
}

/** Returns the code of a system error, which an `SseError` has only in its message. */
function codeOf(error: Error): string {
  if (error instanceof SseError) return /\bE[A-Z_]{4,}\b/.exec(error.message)?.[0] ?? '';
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return 'set "auth" or "headers" to what it lets in';
  if (status >= 500 || status === 408 || status === 429) return 'try again, or ask its operator';
  return 'see whether its url is that of an MCP server';
}

/** Returns the text of the response, unless it is an HTML page or JSON. */
function responseText(error: unknown): string {
  const text = withoutPreamble(error).trim();
  if (text === '' || /^[<{]|^Version negotiation|^SSE error: Non-200/.test(text)) return '';
  return `: ${text.slice(0, maxQuotedLength).replace(/\s+/g, ' ')}`;
}

function withoutPreamble(error: unknown): string {
  return messageOf(error).replace(
    /^(?:Error POSTing to endpoint(?: \(HTTP \d+\))?|Failed to open SSE stream|Version negotiation probe failed): ?/,
    '',
  );
}
