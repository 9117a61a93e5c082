import type { JsonObject } from '../../../../core/json/json.ts';
import { Refusal, WireError, errorText, wireCodes } from '../../protocol/wire-messages.ts';
import { type Relay, type RelayCaller, RelayUnavailableError } from '../../sessions/relay.ts';
import type { HttpResponse } from '../http-types.ts';
import type { HttpSession } from '../sessions/http-session.ts';
import type { SessionRegistry } from '../sessions/session-registry.ts';
import { type EventId, parseEventId, formatStreamId } from './event-ids.ts';
import { type EventStream, type StreamOutlet, maxUnreadBytes, streamHeaders } from './event-stream.ts';
import { once } from 'node:events';
import { Writable } from 'node:stream';

/** A stream that a client resumes at another process than the one that holds it. */
interface ForwardedResumption {
  /** The key of the session. */
  readonly key: string;
  readonly stream: number;
  readonly after: number;
}

/** Dependencies of `Resumption`. */
export interface ResumptionParts {
  readonly sessions: SessionRegistry;
  /** The link to processes that hold other streams. */
  readonly relay: Relay | undefined;
  /** Streams that get heartbeats. */
  readonly open: Set<{ beat(): void }>;
}

/** Opens the streams that clients request with GET: the standalone stream, or a lost one, in any process. */
export class Resumption {
  readonly #parts: ResumptionParts;

  constructor(parts: ResumptionParts) {
    this.#parts = parts;
    parts.relay?.serve('stream', (forwarded: ForwardedResumption, caller) => this.#serveForwarded(forwarded, caller));
  }

  async open(session: HttpSession, response: HttpResponse, lastEventId: string | undefined): Promise<void> {
    // The client may have disconnected while the session was loaded.
    if (response.closed) return;
    const event = lastEventId === undefined ? undefined : parseEventId(lastEventId);
    if (event === undefined) {
      this.#track(session, session.listen(response), response);
      return;
    }
    const { stream, after } = event;
    if (after === 'over') throw new Refusal(405, wireCodes.request, 'nothing follows on that stream');
    const isOwn = session.holds(event);
    if (!isOwn && stream !== 0) return await this.#forward(session, { ...event, after }, response);
    // The standalone stream is served by the process that the client is connected to.
    const resumed = isOwn ? session.resume(response, stream, after) : session.listen(response);
    if (resumed === undefined) endLost(response, session, event);
    else this.#track(session, resumed, response);
  }

  #track(session: HttpSession, stream: EventStream, outlet: StreamOutlet): void {
    const { open } = this.#parts;
    open.add(stream);
    outlet.once('close', () => {
      session.seen = Date.now();
      if (!stream.isAttached) open.delete(stream);
    });
  }

  async #forward(session: HttpSession, event: EventId & { after: number }, response: HttpResponse): Promise<void> {
    const { address, stream, after } = event;
    const gone = new AbortController();
    response.once('close', () => gone.abort(new DOMException('the client is gone', 'AbortError')));
    const onMessage = (text: string): void => {
      if (!response.headersSent) response.writeHead(200, [...streamHeaders, ...session.headers]);
      response.write(text);
      if (response.writableLength > maxUnreadBytes) response.destroy();
    };
    try {
      const forwarded: ForwardedResumption = { key: session.key, stream, after };
      await this.#parts.relay?.ask(address, 'stream', forwarded, { onMessage, signal: gone.signal });
      response.end();
    } catch (error) {
      // The client is gone.
      if (gone.signal.aborted) return;
      if (!(error instanceof RelayUnavailableError)) throw error;
      endLost(response, session, event);
    }
  }

  async #serveForwarded({ key, stream, after }: ForwardedResumption, caller: RelayCaller): Promise<JsonObject> {
    const session = this.#parts.sessions.ofKey(key);
    const outlet = new RelayedStream(caller);
    const resumed = session?.resume(outlet, stream, after);
    if (session === undefined || resumed === undefined) throw new RelayUnavailableError('there is no such stream');
    this.#track(session, resumed, outlet);
    await once(outlet, 'close');
    return {};
  }
}

/** Ends a lost stream with an error response, so that the client does not wait forever. */
function endLost(response: HttpResponse, session: HttpSession, { request, address, stream }: EventId): void {
  if (!response.headersSent) response.writeHead(200, [...streamHeaders, ...session.headers]);
  if (request !== undefined) {
    const lost =
      'the response is lost, or the process that served this request is gone; the journal has the outcome of a call';
    const text = errorText(request, new WireError(wireCodes.server, lost));
    response.write(`event: message\nid: ${formatStreamId({ address, stream, request })}-over\ndata: ${text}\n\n`);
  }
  response.end();
}

/** The outlet of a stream whose client is connected to another process. */
class RelayedStream extends Writable {
  readonly #send: (text: string) => void;

  constructor({ send, signal }: RelayCaller) {
    super({ decodeStrings: false, signal });
    this.#send = send;
    // The abort signal ends it with an error event, which must be handled.
    this.on('error', () => undefined);
  }

  writeHead(): this {
    return this;
  }

  flushHeaders(): void {}

  override _write(text: string, _encoding: BufferEncoding, written: () => void): void {
    this.#send(text);
    written();
  }
}
