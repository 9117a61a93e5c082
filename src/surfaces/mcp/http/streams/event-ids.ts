import type { RequestId } from '../../protocol/wire-messages.ts';

/** Which stream of a session something was said on, and where: each process has streams of its own. */
export interface StreamPlace {
  readonly place: string;
  /** 0 is the one that belongs to no request. */
  readonly stream: number;
  /** The request that is answered on it, for who has to say that nobody will. */
  readonly request?: RequestId | undefined;
}

/** An event of a stream, by the id that the client has of it. */
export interface EventPlace extends StreamPlace {
  /** `over`: what was said last is that nothing follows. */
  readonly after: number | 'over';
}

const longestRequest = 100;
const form = /^(here|at_\w{19})\.(\d{1,15})(?:\.([\w-]+))?-(\d{1,15}|over)$/;

/** The name of a stream in the ids of its events. */
export function streamName({ place, stream, request }: StreamPlace): string {
  const text = request === undefined ? '' : Buffer.from(JSON.stringify(request)).toString('base64url');
  return `${place}.${stream}${text === '' || text.length > longestRequest ? '' : `.${text}`}`;
}

/** What the id of an event says; `undefined` for ids that are not of this endpoint. */
export function eventPlace(id: string): EventPlace | undefined {
  const [, place, stream, request, after] = form.exec(id) ?? [];
  if (place === undefined || after === undefined) return undefined;
  const asked = request === undefined ? undefined : requestOf(request);
  return { place, stream: Number(stream), request: asked, after: after === 'over' ? after : Number(after) };
}

function requestOf(text: string): RequestId | undefined {
  try {
    const id: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return typeof id === 'string' || typeof id === 'number' ? id : undefined;
  } catch {
    return undefined;
  }
}
