import type { RequestId } from '../../protocol/wire-messages.ts';

/** A stream of a session, and the process that holds it. */
export interface StreamId {
  readonly address: string;
  /** 0: the stream for messages that belong to no request. */
  readonly stream: number;
  /** The request that is answered on it. Lets another process report that the response is lost. */
  readonly request?: RequestId | undefined;
}

/** A parsed event id. */
export interface EventId extends StreamId {
  /** `over`: the event reported the end of the stream. */
  readonly after: number | 'over';
}

const maxRequestLength = 100;
const form = /^(here|at_\w{19})\.(\d{1,15})(?:\.([\w-]+))?-(\d{1,15}|over)$/;

/** Returns the prefix of the event ids of a stream. */
export function formatStreamId({ address, stream, request }: StreamId): string {
  const text = request === undefined ? '' : Buffer.from(JSON.stringify(request)).toString('base64url');
  return `${address}.${stream}${text === '' || text.length > maxRequestLength ? '' : `.${text}`}`;
}

/** Parses an event id; `undefined` for ids of other servers. */
export function parseEventId(id: string): EventId | undefined {
  const [, address, stream, request, after] = form.exec(id) ?? [];
  if (address === undefined || after === undefined) return undefined;
  return {
    address,
    stream: Number(stream),
    request: request === undefined ? undefined : requestOf(request),
    after: after === 'over' ? after : Number(after),
  };
}

function requestOf(text: string): RequestId | undefined {
  try {
    const id: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return typeof id === 'string' || typeof id === 'number' ? id : undefined;
  } catch {
    return undefined;
  }
}
