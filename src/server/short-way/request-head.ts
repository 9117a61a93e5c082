import type { IncomingHttpHeaders } from 'node:http';

/** The line and the headers of a request that the short way can take. */
export interface RequestHead {
  /** As it came, with the empty line. */
  readonly bytes: Buffer;
  /** Where the body begins. */
  readonly end: number;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: string[];
  readonly bodyBytes: number;
}

/** What is larger goes the long way. */
const largestHead = 8 * 1024;
const largestBody = 64 * 1024;

const emptyLine = Buffer.from('\r\n\r\n');
const firstLine = /^POST (\/[!-~]*) HTTP\/1\.1$/;
const headerLine = /^([\w!#$%&'*+.^`|~-]+):[ \t]*((?:[!-~](?:[ \t!-~]*[!-~])?)?)[ \t]*$/;
const length = /^\d{1,5}$/;
/** What changes how a request is read, or what becomes of its connection. */
const special: ReadonlySet<string> = new Set(['transfer-encoding', 'expect', 'upgrade', 'trailer', 'proxy-connection']);

/**
 * Reads the head of a POST, where it can be read in one way only; `undefined` for everything else, whatever may be wrong with it.
 * Whoever stands before us must have read the same, so nothing is made up for: each line ends as it should, nothing is
 * said twice, the body has the length that it says, and all is plain ASCII.
 */
export function readHead(bytes: Buffer, last: RequestHead | undefined): RequestHead | undefined {
  // Clients say the same with every request. The empty line of the last one is the first of this one then.
  if (last !== undefined && bytes.length >= last.end && bytes.compare(last.bytes, 0, last.end, 0, last.end) === 0)
    return last;
  const found = bytes.indexOf(emptyLine);
  return found === -1 || found > largestHead ? undefined : parse(bytes, found);
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
    // Names that every object has are none of a client that means well.
    if (key in headers || special.has(key)) return undefined;
    headers[key] = value;
    rawHeaders.push(name, value);
  }
  const { host, connection = 'keep-alive', 'content-length': said = '' } = headers;
  if (host === undefined || connection.toLowerCase() !== 'keep-alive' || !length.test(said)) return undefined;
  const bodyBytes = Number(said);
  if (bodyBytes > largestBody) return undefined;
  const end = found + emptyLine.length;
  // A copy: the rest of what came with it would stay as long.
  return { bytes: Buffer.from(bytes.subarray(0, end)), end, url, headers, rawHeaders, bodyBytes };
}
