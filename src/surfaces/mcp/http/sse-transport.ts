import { serveBatch } from '../protocol/batch.ts';
import { RelayUnavailableError } from '../sessions/relay.ts';
import { toWireError } from '../protocol/to-wire-error.ts';
import { Refusal, type WireMessage, errorText, readMessage, replyText, wireCodes } from '../protocol/wire-messages.ts';
import { answerHeaders } from './streams/event-stream.ts';
import type { HttpRequestHead, AuthorizedRequest } from './http-types.ts';
import { type HttpSession, sessionKey } from './sessions/http-session.ts';
import type { ResumptionParts } from './streams/stream-resumption.ts';

const ownAddress = /^\/sse(?:[/?]|$)/;
const sessionParameter = /[?&]sessionId=([\w-]+)/;
const addressParameter = /[?&]at=(at_\w+)/;

/** A message that reached a different process than the one that holds the stream. */
interface ForwardedMessage {
  /** The key of the session. */
  readonly key: string;
  readonly principal: string;
  readonly profile: string | null;
  readonly value: unknown;
}

/** Dependencies of the transport. */
interface SseTransportParts extends ResumptionParts {
  log(line: string): void;
}

/**
 * Returns whether a request belongs to the HTTP+SSE transport of 2024-11-05. Its clients open one stream with GET, at `/sse` or at
 * the address of the newer transport, and post their messages to the address in the first event of the stream.
 */
export function isSseRequest({ method, url = '', headers }: HttpRequestHead): boolean {
  if (ownAddress.test(url)) return true;
  if (method === 'POST') return url.includes('sessionId=') && sessionParameter.test(url);
  // Clients of the newer transport name a session or a revision, or accept JSON too.
  return (
    method === 'GET' &&
    headers['mcp-session-id'] === undefined &&
    headers['mcp-protocol-version'] === undefined &&
    headers.accept?.trim() === 'text/event-stream'
  );
}

/** Returns the path that a client requested. Routers of web frameworks strip their own prefix from `url`. */
function addressOf(request: HttpRequestHead & { readonly originalUrl?: unknown }): string {
  return typeof request.originalUrl === 'string' ? request.originalUrl : (request.url ?? '');
}

/** Serves clients of the HTTP+SSE transport of 2024-11-05: everything they are sent goes over the one stream of their session. */
export class SseTransport {
  readonly #parts: SseTransportParts;

  constructor(parts: SseTransportParts) {
    this.#parts = parts;
    parts.relay?.serve('sse', async ({ key, principal, profile, value }: ForwardedMessage, caller) => {
      const session = parts.sessions.ofKey(key);
      const { peer } = session?.conversation ?? {};
      const isOwn = peer?.principal.id === principal && (peer.view.profile ?? null) === profile;
      if (session?.transport !== 'sse' || !isOwn) throw new RelayUnavailableError('there is no such stream');
      caller.send('accepted');
      await this.#deliver(session, value);
      return {};
    });
  }

  /** Opens the stream of a new session. The session ends with the stream. */
  connect({ request, response, peer }: AuthorizedRequest): void {
    if (request.method !== 'GET') throw new Refusal(405, wireCodes.request, 'this address takes GET and POST');
    // A client that disconnected during authorization would leave a session that never ends.
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
    // Any process that receives a message of this session finds this process by it.
    const address = this.#parts.relay === undefined ? '' : `&at=${this.#parts.relay.address}`;
    response.write(`event: endpoint\ndata: ${path}?sessionId=${session.id}${address}\n\n`);
  }

  /** Accepts a posted message at once. Resolves when it is answered on the stream. */
  async take(incoming: AuthorizedRequest, value: unknown): Promise<void> {
    // An invalid message is refused by the process that received it.
    if (!Array.isArray(value)) readMessage(value);
    const id = sessionIdOf(incoming.request);
    const session = await this.#parts.sessions.find(id, incoming.peer);
    const accept = (): void => void incoming.response.writeHead(202, answerHeaders).end();
    if (session?.transport !== 'sse') return await this.#forward(id, incoming, value, accept);
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
      if (text !== undefined) session.channel.send(text);
    } catch (error) {
      const id = message?.kind === 'request' ? message.id : null;
      session.channel.send(errorText(id, toWireError(error, this.#parts.log)));
    } finally {
      session.seen = Date.now();
      if (!session.conversation.isBusy) session.endIfStopping();
    }
  }

  #batch(session: HttpSession, messages: readonly unknown[]): Promise<string | undefined> {
    const { version } = session.conversation;
    return serveBatch(messages, { version, serve: (message) => this.#serve(session, message), log: this.#parts.log });
  }

  async #serve({ conversation, channel }: HttpSession, message: WireMessage): Promise<string | undefined> {
    if (message.kind === 'request') return String(replyText(message.id, await conversation.serve(message, channel)));
    conversation.receive(message);
    return undefined;
  }

  /** Forwards a message to the process that holds the stream. */
  async #forward(id: string, { request, peer }: AuthorizedRequest, value: unknown, accept: () => void): Promise<void> {
    const { relay } = this.#parts;
    const [, address] = addressParameter.exec(request.url ?? '') ?? [];
    const unknown = new Refusal(404, wireCodes.session, 'there is no such session; open a stream with GET');
    if (relay === undefined || address === undefined || address === relay.address) throw unknown;
    const { principal, view } = peer;
    const posted: ForwardedMessage = {
      key: sessionKey(id),
      principal: principal.id,
      profile: view.profile ?? null,
      value,
    };
    let isAccepted = false;
    const onMessage = (): void => {
      isAccepted = true;
      accept();
    };
    try {
      await relay.ask(address, 'sse', posted, { onMessage });
    } catch (error) {
      // After a message is accepted, its response comes over the stream, or the stream ends.
      if (isAccepted) return;
      throw error instanceof RelayUnavailableError ? unknown : error;
    }
  }
}

function sessionIdOf({ url = '' }: HttpRequestHead): string {
  const [, id] = sessionParameter.exec(url) ?? [];
  if (id !== undefined) return id;
  throw new Refusal(400, wireCodes.session, 'open a stream with GET, then post to the address in its first event');
}
