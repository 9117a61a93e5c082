import { isLargeJson, readJson, readLargeJson } from '../../../core/json/read-json.ts';
import { closingReason } from '../../../core/errors.ts';
import { SlotMap } from '../../../core/async/slot-map.ts';
import { LightAbortSignal } from '../../../core/async/light-abort-signal.ts';
import { serveBatch } from '../protocol/batch.ts';
import type { Peer } from '../requests/request-context.ts';
import { type RecentClient, envelopeVersion, parseEnvelope } from '../protocol/client-info.ts';
import type { ChangeSubscription } from '../listing/listen-request.ts';
import type { McpEndpoint } from '../mcp-endpoint.ts';
import { isLegacyVersion } from '../protocol/handshake.ts';
import { toWireError } from '../protocol/to-wire-error.ts';
import {
  type Answer,
  Refusal,
  type RequestId,
  type WireMessage,
  type WireRequest,
  errorText,
  idOf,
  readMessage,
  replyText,
  wireCodes,
} from '../protocol/wire-messages.ts';
import { checkHeaders, checkParameters } from './header-validation.ts';
import { answerHeaders } from './streams/event-stream.ts';
import { type Accepted, ResponseWriter } from './response-writer.ts';
import type { HttpRequestHead, HttpResponse, AuthorizedRequest } from './http-types.ts';
import { HttpSession } from './sessions/http-session.ts';
import { SessionRegistry } from './sessions/session-registry.ts';
import { Resumption } from './streams/stream-resumption.ts';
import { SseTransport, isSseRequest } from './sse-transport.ts';

const heartbeatMs = 15_000;

/** Options of `McpHttpHandler`. */
export interface McpHttpOptions {
  readonly endpoint: McpEndpoint;
  /** Logs internal errors. */
  log(line: string): void;
}

/** Serves MCP over HTTP: streamable HTTP for all revisions at one address, and HTTP+SSE for clients of 2024-11-05. */
export class McpHttpHandler {
  readonly #endpoint: McpEndpoint;
  readonly #log: (line: string) => void;
  readonly #sessions: SessionRegistry;
  /** Requests in progress and open streams, which get heartbeats. */
  readonly #inProgress = new SlotMap<ResponseWriter>();
  readonly #open = new Set<{ beat(): void }>();
  readonly #listening = new Map<ChangeSubscription, (text: string) => void>();
  readonly #resumption: Resumption;
  readonly #sse: SseTransport;
  readonly #timer: NodeJS.Timeout;

  constructor({ endpoint, log }: McpHttpOptions) {
    this.#endpoint = endpoint;
    this.#log = log;
    this.#sessions = new SessionRegistry(endpoint);
    const parts = { sessions: this.#sessions, relay: endpoint.relay, open: this.#open, log };
    this.#resumption = new Resumption(parts);
    this.#sse = new SseTransport(parts);
    this.#timer = setInterval(() => {
      for (const each of this.#inProgress) each.beat();
      for (const each of this.#open) each.beat();
      this.#sessions.expireIdle();
    }, heartbeatMs);
    this.#timer.unref();
  }

  /** Serves a request. Never throws or rejects. Returns a promise unless the request is served synchronously. */
  handle(incoming: AuthorizedRequest): Promise<void> | undefined {
    const { request, body } = incoming;
    if (request.method !== 'POST') return this.#handleOther(incoming);
    if (isLargeJson(body))
      return readLargeJson(body).then(
        (value) => this.#take(incoming, value),
        (error: unknown) => this.#refuse(incoming, null, error),
      );
    try {
      return this.#take(incoming, readJson(body));
    } catch (error) {
      this.#refuse(incoming, null, error);
      return undefined;
    }
  }

  #take(incoming: AuthorizedRequest, value: unknown): Promise<void> | undefined {
    const id = idOf(value);
    try {
      if (incoming.refuse === undefined || !expectsResponse(value)) {
        if (isSseRequest(incoming.request))
          return this.#sse.take(incoming, value).catch((error: unknown) => this.#refuse(incoming, id, error));
        const taken = Array.isArray(value) ? this.#batch(incoming, value) : this.#post(incoming, readMessage(value));
        return taken?.catch((error: unknown) => this.#refuse(incoming, id, error));
      }
      incoming.refuse(id);
    } catch (error) {
      this.#refuse(incoming, id, error);
    }
    return undefined;
  }

  async #handleOther(incoming: AuthorizedRequest): Promise<void> {
    try {
      if (isSseRequest(incoming.request)) this.#sse.connect(incoming);
      else if (incoming.request.method === 'GET') await this.#get(incoming);
      else if (incoming.request.method === 'DELETE') {
        await this.#sessions.end(await sessionOf(this.#sessions, incoming));
        incoming.response.writeHead(204, answerHeaders).end();
      } else throw new Refusal(405, wireCodes.request, 'this address accepts GET, POST and DELETE');
    } catch (error) {
      this.#refuse(incoming, null, error);
    }
  }

  #refuse({ response }: AuthorizedRequest, id: RequestId | null, error: unknown): void {
    const wireError = toWireError(error, this.#log);
    const status = wireError instanceof Refusal ? wireError.status : 400;
    if (response.headersSent) response.destroy();
    else send(response, status, errorText(id, wireError));
  }

  /** Returns the recent clients, the latest first. */
  clients(): RecentClient[] {
    return [...this.#sessions.clients(), ...this.#endpoint.clients()].toSorted((one, other) => other.seen - one.seen);
  }

  /** Ends streams that wait for notifications. Requests in progress continue. */
  stopListening(): void {
    clearInterval(this.#timer);
    for (const [listening, end] of this.#listening) end(JSON.stringify(listening.stop()));
    this.#sessions.stopListening();
  }

  /** Ends the calls in progress, because the server stops. Their callers still get a response. */
  endCalls(): void {
    const reason = closingReason();
    for (const writer of this.#inProgress) writer.stop.abort(reason);
    this.#sessions.abortRequests(reason);
  }

  /** Ends everything. */
  close(): void {
    this.stopListening();
    this.endCalls();
    this.#sessions.closeAll();
  }

  #post(incoming: AuthorizedRequest, message: WireMessage): Promise<void> | undefined {
    const { request, response, peer } = incoming;
    const accepted = acceptedFormats(request);
    if (message.kind !== 'response' && isModern(request, message)) {
      if (message.kind !== 'notification') return this.#modern(incoming, message, accepted);
      response.writeHead(202, answerHeaders).end();
      return undefined;
    }
    const isBeginning = message.kind === 'request' && message.method === 'initialize';
    const session =
      isBeginning && request.headers['mcp-session-id'] === undefined
        ? this.#sessions.begin(peer)
        : sessionOf(this.#sessions, incoming);
    if (session instanceof HttpSession && message.kind === 'request')
      return this.#legacy(session, message, incoming, accepted);
    return this.#inSession(session, message, incoming, accepted);
  }

  async #inSession(
    found: HttpSession | Promise<HttpSession>,
    message: WireMessage,
    incoming: AuthorizedRequest,
    accepted: Accepted,
  ): Promise<void> {
    const session = await found;
    if (message.kind === 'request') {
      await this.#legacy(session, message, incoming, accepted);
      return;
    }
    await this.#sessions.receive(session, message);
    incoming.response.writeHead(202, answerHeaders).end();
  }

  async #batch(incoming: AuthorizedRequest, messages: readonly unknown[]): Promise<void> {
    if (incoming.request.headers['mcp-session-id'] === undefined)
      throw new Refusal(400, wireCodes.request, 'without a session, send one message at a time');
    const accepted = acceptedFormats(incoming.request);
    const session = await sessionOf(this.#sessions, incoming);
    const { conversation } = session;
    const writer = new ResponseWriter(incoming, accepted, session);
    const serve = async (message: WireMessage): Promise<string | Buffer | undefined> => {
      if (message.kind === 'request')
        return replyText(message.id, await conversation.serve(message, writer, signalOfOne(writer)));
      await this.#sessions.receive(session, message);
      return undefined;
    };
    this.#open.add(writer);
    try {
      const text = await serveBatch(messages, { version: conversation.version, serve, log: this.#log });
      writer.end(text ?? '', text === undefined ? 202 : 200);
    } catch (error) {
      this.#fail(writer, null, error);
    } finally {
      this.#open.delete(writer);
      session.seen = Date.now();
    }
  }

  #legacy(
    session: HttpSession,
    message: WireRequest,
    incoming: AuthorizedRequest,
    accepted: Accepted,
  ): Promise<void> | undefined {
    const writer = new ResponseWriter(incoming, accepted, session, message.id);
    const serve = (): Answer | Promise<Answer> => session.conversation.serve(message, writer, writer.stop);
    return this.#respond(writer, message.id, serve, () => {
      session.seen = Date.now();
      if (message.method === 'initialize' && !this.#sessions.isEstablished(session)) this.#sessions.drop(session);
    });
  }

  #modern(incoming: AuthorizedRequest, message: WireRequest, accepted: Accepted): Promise<void> | undefined {
    const { request, peer } = incoming;
    if (envelopeVersion(message.params) === undefined) parseEnvelope(message.params);
    checkHeaders(request.headers, message);
    const { name, arguments: args } = message.params;
    const { listing } = peer.view;
    if (message.method === 'tools/call' && typeof name === 'string')
      checkParameters(request.headers, listing.tools.get(listing.listedName(name)), args);
    const writer = new ResponseWriter(incoming, accepted);
    if (message.method === 'subscriptions/listen') return this.#listen(writer, message, peer);
    return this.#respond(writer, message.id, () => this.#endpoint.serve(message, peer, writer, writer.stop));
  }

  async #listen(writer: ResponseWriter, message: WireRequest, peer: Peer): Promise<void> {
    let listening: ChangeSubscription;
    try {
      listening = await this.#endpoint.listen(message, peer, writer);
    } catch (error) {
      this.#fail(writer, message.id, error);
      return;
    }
    this.#open.add(writer);
    this.#listening.set(listening, (result) =>
      writer.end(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`),
    );
    const stop = (): void => {
      this.#open.delete(writer);
      if (this.#listening.delete(listening)) listening.stop();
    };
    const gone = writer.stop;
    if (gone.aborted) stop();
    else gone.addEventListener('abort', stop, { once: true });
  }

  /** Serves a request and sends its response. Never throws or rejects: an error becomes the response. */
  #respond(
    writer: ResponseWriter,
    id: RequestId,
    serve: () => Answer | Promise<Answer>,
    over?: () => void,
  ): Promise<void> | undefined {
    const slot = this.#inProgress.add(writer);
    const fail = (error: unknown): void => {
      this.#inProgress.remove(slot);
      this.#fail(writer, id, error);
      over?.();
    };
    const end = (answer: Answer): void => {
      try {
        writer.answer(id, answer);
      } catch (error) {
        fail(error);
        return;
      }
      this.#inProgress.remove(slot);
      over?.();
    };
    let answer: Answer | Promise<Answer>;
    try {
      answer = serve();
    } catch (error) {
      fail(error);
      return undefined;
    }
    if (answer instanceof Promise) return answer.then(end, fail);
    end(answer);
    return undefined;
  }

  #fail(writer: ResponseWriter, id: RequestId | null, error: unknown): void {
    const wireError = toWireError(error, this.#log);
    // The specification requires status 400 for a missing capability. Other errors of methods are responses with status 200.
    const status =
      wireError instanceof Refusal ? wireError.status : wireError.code === wireCodes.capability ? 400 : 200;
    writer.end(errorText(id, wireError), status);
  }

  async #get(incoming: AuthorizedRequest): Promise<void> {
    const { request, response } = incoming;
    if (request.headers['mcp-session-id'] === undefined)
      throw new Refusal(405, wireCodes.request, 'GET needs a session; send a POST');
    if (!acceptedFormats(request).stream) throw new Refusal(406, wireCodes.request, 'send "Accept: text/event-stream"');
    const session = await sessionOf(this.#sessions, incoming);
    const { 'last-event-id': lastEventId } = request.headers;
    await this.#resumption.open(session, response, typeof lastEventId === 'string' ? lastEventId : undefined);
  }
}

function expectsResponse(value: unknown): boolean {
  return Array.isArray(value) || readMessage(value).kind === 'request';
}

/** Returns a signal for one request of a batch: aborted on its own, or with all others when the client is gone. */
function signalOfOne({ stop: all }: ResponseWriter): LightAbortSignal {
  const one = new LightAbortSignal();
  const end = (): void => one.abort(all.reason);
  if (all.aborted) end();
  else all.addEventListener('abort', end);
  return one;
}

/** Returns whether a message is of revision 2026-07-28: it has no session, and its body or headers name the revision. */
function isModern({ headers }: HttpRequestHead, { params }: Exclude<WireMessage, { kind: 'response' }>): boolean {
  if (headers['mcp-session-id'] !== undefined) return false;
  const header = headers['mcp-protocol-version'];
  return envelopeVersion(params) !== undefined || (typeof header === 'string' && !isLegacyVersion(header.trim()));
}

function sessionOf(
  sessions: SessionRegistry,
  { request, peer }: AuthorizedRequest,
): HttpSession | Promise<HttpSession> {
  const { 'mcp-session-id': id, 'mcp-protocol-version': version } = request.headers;
  if (typeof id !== 'string')
    throw new Refusal(
      400,
      wireCodes.server,
      'there is no session: begin with "initialize", or use revision 2026-07-28',
    );
  if (typeof version === 'string' && !isLegacyVersion(version.trim()))
    throw new Refusal(400, wireCodes.server, `revision ${JSON.stringify(version.slice(0, 32))} has no sessions`);
  const session = sessions.find(id, peer);
  return session instanceof Promise ? session.then(assertStreamable) : assertStreamable(session);
}

function assertStreamable(session: HttpSession | undefined): HttpSession {
  if (session?.transport === 'streamable') return session;
  throw new Refusal(404, wireCodes.session, 'there is no such session; begin with "initialize"');
}

/** Clients send the same header with every request. */
let lastAccepted: { readonly header: string | undefined; readonly accepted: Accepted } | undefined;

function acceptedFormats({ headers: { accept } }: HttpRequestHead): Accepted {
  if (lastAccepted === undefined || lastAccepted.header !== accept)
    lastAccepted = { header: accept, accepted: parseAccept(accept) };
  return lastAccepted.accepted;
}

function parseAccept(accept: string | undefined): Accepted {
  if (accept === undefined || accept.includes('*/*')) return { json: true, stream: true };
  const accepted = { json: accept.includes('application/json'), stream: accept.includes('text/event-stream') };
  if (!accepted.json && !accepted.stream)
    throw new Refusal(406, wireCodes.request, 'send "Accept: application/json, text/event-stream"');
  return accepted;
}

function send(response: HttpResponse, status: number, text: string): void {
  const allow = status === 405 ? ['Allow', 'GET, POST, DELETE'] : [];
  response.writeHead(status, [...answerHeaders, ...allow, 'Content-Type', 'application/json']).end(text);
}
