import { serveBatch } from '../batch.ts';
import { toldError } from '../told-error.ts';
import { Refusal, type WireMessage, type WireRequest, errorText, readMessage, replyText, wireCodes } from '../wire.ts';
import { answerHeaders } from './event-stream.ts';
import type { HttpAsk } from './http-messages.ts';
import type { HttpSession } from './http-session.ts';
import type { HttpSessions } from './http-sessions.ts';
import type { HttpRequest } from './mcp-http.ts';

const ownAddress = /^\/sse(?:[/?]|$)/;
const sessionParameter = /[?&]sessionId=([\w-]+)/;

/** What the transport is made of. */
export interface SseTransportParts {
  readonly sessions: HttpSessions;
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
    response.write(`event: endpoint\ndata: ${path}?sessionId=${session.id}\n\n`);
  }

  /** Takes what a client posts. Accepts it at once; resolves when it is answered on the stream. */
  async take(incoming: HttpRequest, value: unknown): Promise<void> {
    const session = await this.#sessionOf(incoming);
    const { conversation } = session;
    const message = Array.isArray(value) ? undefined : readMessage(value);
    incoming.response.writeHead(202, answerHeaders).end();
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
      if (!conversation.isBusy) session.endIfStopping();
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

  async #sessionOf({ request, peer }: HttpRequest): Promise<HttpSession> {
    const [, id] = sessionParameter.exec(request.url ?? '') ?? [];
    if (id === undefined)
      throw new Refusal(400, wireCodes.session, 'open a stream with GET, and post to the address that it names first');
    const session = await this.#parts.sessions.find(id, peer);
    if (session?.transport === 'sse') return session;
    throw new Refusal(404, wireCodes.session, 'there is no such session; open a stream with GET');
  }
}
