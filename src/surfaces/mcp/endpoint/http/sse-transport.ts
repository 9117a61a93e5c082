import { serveBatch } from '../batch.ts';
import { type Relay, RelayLost } from '../relay.ts';
import { toldError } from '../told-error.ts';
import { Refusal, type WireMessage, type WireRequest, errorText, readMessage, replyText, wireCodes } from '../wire.ts';
import { answerHeaders } from './event-stream.ts';
import type { HttpAsk, HttpRequest } from './http-messages.ts';
import type { HttpSession } from './http-session.ts';
import type { HttpSessions } from './http-sessions.ts';
import { sessionKey } from './session-key.ts';

const ownAddress = /^\/sse(?:[/?]|$)/;
const sessionParameter = /[?&]sessionId=([\w-]+)/;
const placeParameter = /[?&]at=(at_\w+)/;

/** A message that came to another process than the one that holds the stream. */
interface PostedElsewhere {
  /** Of the session. */
  readonly key: string;
  readonly principal: string;
  readonly profile: string | null;
  readonly value: unknown;
}

/** What the transport is made of. */
export interface SseTransportParts {
  readonly sessions: HttpSessions;
  /** The link to processes that hold other streams. */
  readonly relay: Relay | undefined;
  /** Streams that get a heartbeat. */
  readonly open: Set<{ beat(): void }>;
  log(line: string): void;
}

/**
 * Whether a request is of the HTTP+SSE transport of 2024-11-05: its clients open one stream with GET, on an address of their own or
 * on the one of the newer transport, and post their messages to the address that the stream names first.
 */
export function isSseRequest({ method, url = '', headers }: HttpAsk): boolean {
  if (ownAddress.test(url)) return true;
  if (method === 'POST') return url.includes('sessionId=') && sessionParameter.test(url);
  // Clients of the newer transport name a session or a revision, or take JSON as well.
  return (
    method === 'GET' &&
    headers['mcp-session-id'] === undefined &&
    headers['mcp-protocol-version'] === undefined &&
    headers.accept?.trim() === 'text/event-stream'
  );
}

/** The address that a client asked for: routers of web frameworks shorten the one of the request to what is below their own. */
function addressOf(request: HttpAsk & { readonly originalUrl?: unknown }): string {
  return typeof request.originalUrl === 'string' ? request.originalUrl : (request.url ?? '');
}

/** Serves clients of the HTTP+SSE transport of 2024-11-05: everything they are sent goes over the one stream of their session. */
export class SseTransport {
  readonly #parts: SseTransportParts;

  constructor(parts: SseTransportParts) {
    this.#parts = parts;
    parts.relay?.serve('sse', async ({ key, principal, profile, value }: PostedElsewhere, caller) => {
      const session = parts.sessions.ofKey(key);
      const { peer } = session?.conversation ?? {};
      const isOwn = peer?.principal.id === principal && (peer.view.profile ?? null) === profile;
      if (session?.transport !== 'sse' || !isOwn) throw new RelayLost('there is no such stream');
      caller.tell('accepted');
      await this.#deliver(session, value);
      return {};
    });
  }

  /** Opens the stream of a new session, which ends with it. */
  connect({ request, response, peer }: HttpRequest): void {
    if (request.method !== 'GET') throw new Refusal(405, wireCodes.request, 'this address takes GET and POST');
    // A client that hung up while it was let in would leave a session without an end.
    if (response.closed) return;
    const { sessions, open } = this.#parts;
    const session = sessions.begin(peer, { transport: 'sse' });
    const stream = session.listen(response);
    open.add(stream);
    response.once('close', () => {
      open.delete(stream);
      sessions.drop(session);
    });
    const [path] = addressOf(request).split('?');
    // Whichever process gets a message of it can find this one by that.
    const place = this.#parts.relay === undefined ? '' : `&at=${this.#parts.relay.place}`;
    response.write(`event: endpoint\ndata: ${path}?sessionId=${session.id}${place}\n\n`);
  }

  /** Takes what a client posts. Accepts it at once; resolves when it is answered on the stream. */
  async take(incoming: HttpRequest, value: unknown): Promise<void> {
    // What is no message is refused here, where its sender is.
    if (!Array.isArray(value)) readMessage(value);
    const id = sessionIdOf(incoming.request);
    const session = await this.#parts.sessions.find(id, incoming.peer);
    const accept = (): void => void incoming.response.writeHead(202, answerHeaders).end();
    if (session?.transport !== 'sse') return await this.#passOn(id, incoming, value, accept);
    accept();
    await this.#deliver(session, value);
  }

  /** Serves messages of a session, and answers on its stream. */
  async #deliver(session: HttpSession, value: unknown): Promise<void> {
    const message = Array.isArray(value) ? undefined : readMessage(value);
    try {
      const text =
        message === undefined
          ? await this.#batch(session, value as readonly unknown[])
          : await this.#serve(session, message);
      if (text !== undefined) session.channel.tell(text);
    } catch (error) {
      const id = message?.kind === 'request' ? message.id : null;
      session.channel.tell(errorText(id, toldError(error, this.#parts.log)));
    } finally {
      session.seen = Date.now();
      if (!session.conversation.isBusy) session.endIfStopping();
    }
  }

  #batch(session: HttpSession, messages: readonly unknown[]): Promise<string | undefined> {
    const { version } = session.conversation;
    return serveBatch(messages, { version, serve: (message) => this.#serve(session, message), log: this.#parts.log });
  }

  async #serve(session: HttpSession, message: WireMessage): Promise<string | undefined> {
    if (message.kind === 'request') return await this.#answer(session, message);
    session.conversation.take(message);
    return undefined;
  }

  async #answer({ conversation, channel }: HttpSession, request: WireRequest): Promise<string> {
    return String(replyText(request.id, await conversation.serve(request, channel)));
  }

  /** Has the process that holds the stream serve a message. */
  async #passOn(id: string, { request, peer }: HttpRequest, value: unknown, accept: () => void): Promise<void> {
    const { relay } = this.#parts;
    const [, place] = placeParameter.exec(request.url ?? '') ?? [];
    const unknown = new Refusal(404, wireCodes.session, 'there is no such session; open a stream with GET');
    if (relay === undefined || place === undefined || place === relay.place) throw unknown;
    const { principal, view } = peer;
    const posted: PostedElsewhere = {
      key: sessionKey(id),
      principal: principal.id,
      profile: view.profile ?? null,
      value,
    };
    let isAccepted = false;
    const tell = (): void => {
      isAccepted = true;
      accept();
    };
    try {
      await relay.ask(place, 'sse', posted, { tell });
    } catch (error) {
      // Once it is accepted its answer comes over the stream, or the stream ends.
      if (isAccepted) return;
      throw error instanceof RelayLost ? unknown : error;
    }
  }
}

function sessionIdOf({ url = '' }: HttpAsk): string {
  const [, id] = sessionParameter.exec(url) ?? [];
  if (id !== undefined) return id;
  throw new Refusal(400, wireCodes.session, 'open a stream with GET, and post to the address that it names first');
}
