import type { IncomingHttpHeaders } from 'node:http';

/** The request line and the headers of a request that fast HTTP can serve. */
export interface RequestHead {
  /** The bytes as received, including the empty line. */
  readonly bytes: Buffer;
  /** The offset of the body. */
  readonly end: number;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: string[];
  readonly bodyBytes: number;
}

/** Node serves larger requests. */
const maxHeadBytes = 8 * 1024;
const maxBodyBytes = 64 * 1024;

const emptyLine = Buffer.from('\r\n\r\n');
const firstLine = /^POST (\/[!-~]*) HTTP\/1\.1$/;
const headerLine = /^([\w!#$%&'*+.^`|~-]+):[ \t]*((?:[!-~](?:[ \t!-~]*[!-~])?)?)[ \t]*$/;
const contentLength = /^\d{1,5}$/;
/** Headers that change the framing of a request, or its connection. */
const unsupported: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'trailer',
  'proxy-connection',
]);

/**
 * Parses the head of a POST. Returns `undefined` for everything that a proxy in front of the server could parse differently, which
 * would allow request smuggling: it accepts only CRLF line ends, unique headers, a `Content-Length`, and printable ASCII.
 */
export function parseRequestHead(bytes: Buffer, previous: RequestHead | undefined): RequestHead | undefined {
  // Clients repeat their head: equal bytes up to the same offset are the same head.
  if (
    previous !== undefined &&
    bytes.length >= previous.end &&
    bytes.compare(previous.bytes, 0, previous.end, 0, previous.end) === 0
  )
    return previous;
  const found = bytes.indexOf(emptyLine);
  return found === -1 || found > maxHeadBytes ? undefined : parse(bytes, found);
}

function parse(bytes: Buffer, found: number): RequestHead | undefined {
  const text = bytes.toString('latin1', 0, found);
  const [line = '', ...lines] = text.split('\r\n');
  const url = firstLine.exec(line)?.[1];
  if (url === undefined) return undefined;
  const headers: Record<string, string> = {};
  const rawHeaders: string[] = [];
  for (const each of lines) {
    const [, name, value = ''] = headerLine.exec(each) ?? [];
    if (name === undefined) return undefined;
    const key = name.toLowerCase();
    // `in` also refuses names of Object.prototype, such as `constructor`.
    if (key in headers || unsupported.has(key)) return undefined;
    headers[key] = value;
    rawHeaders.push(name, value);
  }
  const { host, connection = 'keep-alive', 'content-length': length = '' } = headers;
  if (host === undefined || connection.toLowerCase() !== 'keep-alive' || !contentLength.test(length)) return undefined;
  const bodyBytes = Number(length);
  if (bodyBytes > maxBodyBytes) return undefined;
  const end = found + emptyLine.length;
  // A copy, so that the buffer of the socket is not retained.
  return { bytes: Buffer.from(bytes.subarray(0, end)), end, url, headers, rawHeaders, bodyBytes };
}
