import type { JsonObject } from '../../../../core/json/json.ts';
import { Refusal, WireError, errorText, wireCodes } from '../../protocol/wire-messages.ts';
import { type Relay, type RelayCaller, RelayLost } from '../../sessions/relay.ts';
import type { HttpReply } from '../http-types.ts';
import type { HttpSession } from '../sessions/http-session.ts';
import type { HttpSessions } from '../sessions/session-registry.ts';
import { type EventPlace, eventPlace, streamName } from './event-ids.ts';
import { type EventStream, type StreamOutlet, mostUnread, streamHeaders } from './event-stream.ts';
import { once } from 'node:events';
import { Writable } from 'node:stream';

/** A stream that a client came back for to another process. */
interface AskedStream {
  /** Of the session. */
  readonly key: string;
  readonly stream: number;
  readonly after: number;
}

/** What streams are gone on with. */
export interface ResumptionParts {
  readonly sessions: HttpSessions;
  /** The way to processes that hold other streams. */
  readonly relay: Relay | undefined;
  /** What is shown to be alive now and then. */
  readonly open: Set<{ beat(): void }>;
}

/** Gives clients the streams that they ask for: the one that belongs to no request, or one that they lost, wherever that is held. */
export class Resumption {
  readonly #parts: ResumptionParts;

  constructor(parts: ResumptionParts) {
    this.#parts = parts;
    parts.relay?.serve('stream', (asked: AskedStream, caller) => this.#serveOther(asked, caller));
  }

  async open(session: HttpSession, response: HttpReply, lastEventId: string | undefined): Promise<void> {
    // Whoever hung up while the session was looked for has told so already, and nobody would tell it again.
    if (response.closed) return;
    const event = lastEventId === undefined ? undefined : eventPlace(lastEventId);
    if (event === undefined) {
      this.#attached(session, session.listen(response), response);
      return;
    }
    const { stream, after } = event;
    if (after === 'over') throw new Refusal(405, wireCodes.request, 'nothing follows on that stream');
    const isOwn = session.holds(event);
    if (!isOwn && stream !== 0) return await this.#askOther(session, { ...event, after }, response);
    // What belongs to no request is said by whichever process the client listens to.
    const resumed = isOwn ? session.resume(response, stream, after) : session.listen(response);
    if (resumed === undefined) endLost(response, session, event);
    else this.#attached(session, resumed, response);
  }

  #attached(session: HttpSession, stream: EventStream, outlet: StreamOutlet): void {
    const { open } = this.#parts;
    open.add(stream);
    outlet.once('close', () => {
      session.seen = Date.now();
      if (!stream.isAttached) open.delete(stream);
    });
  }

  async #askOther(session: HttpSession, event: EventPlace & { after: number }, response: HttpReply): Promise<void> {
    const { place, stream, after } = event;
    const gone = new AbortController();
    response.once('close', () => gone.abort(new DOMException('the client is gone', 'AbortError')));
    const tell = (text: string): void => {
      if (!response.headersSent) response.writeHead(200, [...streamHeaders, ...session.headers]);
      response.write(text);
      if (response.writableLength > mostUnread) response.destroy();
    };
    try {
      const asked: AskedStream = { key: session.key, stream, after };
      await this.#parts.relay?.ask(place, 'stream', asked, { tell, signal: gone.signal });
      response.end();
    } catch (error) {
      // Nobody is left to be told anything.
      if (gone.signal.aborted) return;
      if (!(error instanceof RelayLost)) throw error;
      endLost(response, session, event);
    }
  }

  async #serveOther({ key, stream, after }: AskedStream, caller: RelayCaller): Promise<JsonObject> {
    const session = this.#parts.sessions.ofKey(key);
    const outlet = new RelayedStream(caller);
    const resumed = session?.resume(outlet, stream, after);
    if (session === undefined || resumed === undefined) throw new RelayLost('there is no such stream');
    this.#attached(session, resumed, outlet);
    await once(outlet, 'close');
    return {};
  }
}

/** A request that nobody answers any more is answered with that, so that its client does not wait for ever. */
function endLost(response: HttpReply, session: HttpSession, { request, place, stream }: EventPlace): void {
  if (!response.headersSent) response.writeHead(200, [...streamHeaders, ...session.headers]);
  if (request !== undefined) {
    const lost =
      'the process that served this request is gone, or what it said is; the journal tells what a call came to';
    const text = errorText(request, new WireError(wireCodes.server, lost));
    response.write(`event: message\nid: ${streamName({ place, stream, request })}-over\ndata: ${text}\n\n`);
  }
  response.end();
}

/** A stream that is written to the client by another process, to which the client came back. */
export class RelayedStream extends Writable {
  readonly #tell: (text: string) => void;

  constructor({ tell, signal }: RelayCaller) {
    super({ decodeStrings: false, signal });
    this.#tell = tell;
    // Ended by the signal, it says so as an error, which nobody needs to hear.
    this.on('error', () => undefined);
  }

  writeHead(): this {
    return this;
  }

  flushHeaders(): void {}

  override _write(text: string, _encoding: BufferEncoding, written: () => void): void {
    this.#tell(text);
    written();
  }
}
