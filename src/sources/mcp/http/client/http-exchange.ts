import { type AbortSignalLike, abortReason } from '../../../../core/async/light-abort-signal.ts';
import { gatewayInstance } from '../../../../core/mcp-protocol.ts';
import { redirectTarget, unfollowedRedirect } from './redirects.ts';
import type { IncomingHttpHeaders } from 'node:http';
import type { Agent, Dispatcher } from 'undici';

/** A request for one of the methods of the MCP endpoint. */
export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly url: URL;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body?: string;
  readonly signal?: AbortSignalLike | undefined;
}

/** The head of a response. */
export interface HttpResponseHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  /** Explains why a redirect was not followed. */
  readonly redirectProblem: string | undefined;
}

/** Receives a response body. An error that `write` throws closes the connection and goes to `fail`. */
export interface BodyReader {
  write(chunk: Buffer): void;
  end(): void;
  fail(error: Error): void;
}

/** Receives what becomes of a request: a response, whose head selects the reader of the body, or an error before it. */
interface HttpExchangeHandler {
  onResponse(head: HttpResponseHead): BodyReader;
  onError(error: Error): void;
}

const maxRedirects = 5;

/**
 * One HTTP request and its response, on callbacks instead of streams, since every tool call makes one. A request is never sent twice.
 * When the signal is aborted, the connection of the request is closed, also while the body is read.
 */
export class HttpExchange implements Dispatcher.DispatchHandler {
  readonly #agent: Agent;
  readonly #request: HttpRequest;
  readonly #handler: HttpExchangeHandler;
  #url: URL;
  #redirects = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #reader: BodyReader | undefined;
  #abortReason: Error | undefined;
  #isOver = false;

  constructor(agent: Agent, request: HttpRequest, handler: HttpExchangeHandler) {
    this.#agent = agent;
    this.#request = request;
    this.#handler = handler;
    this.#url = request.url;
  }

  /** Sends the request, unless its signal is aborted. */
  start(): void {
    const { signal } = this.#request;
    if (signal?.aborted === true) return this.handleEvent();
    signal?.addEventListener('abort', this, { once: true });
    this.#dispatch();
  }

  /** Handles the `abort` event of the signal. */
  handleEvent(): void {
    this.abort(abortReason(this.#request.signal ?? { reason: 'cancelled' }));
  }

  /** Closes the connection and fails with this error. */
  abort(reason: Error): void {
    this.#abortReason = reason;
    this.#controller?.abort(reason);
    // A request that waits for its connection has no controller yet.
    this.#fail(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#abortReason !== undefined) controller.abort(this.#abortReason);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    statusText = '',
  ): void {
    if (status < 200) return;
    assertOtherInstance(headers, this.#url);
    const target = status >= 300 && status < 400 ? redirectTarget(this.#url, status, headers) : undefined;
    const problem = target && unfollowedRedirect(this.#url, target, this.#request.method, status);
    if (target !== undefined && problem === undefined && this.#redirects < maxRedirects)
      this.#reader = this.#redirectTo(target);
    else this.#reader = this.#handler.onResponse({ status, statusText, headers, redirectProblem: problem });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#reader?.write(chunk);
  }

  onResponseEnd(): void {
    const reader = this.#reader;
    this.#reader = undefined;
    if (!(reader instanceof RedirectReader)) this.#release();
    reader?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#fail(explainInvalidHeader(error));
  }

  #dispatch(): void {
    const { method, headers, body } = this.#request;
    const { origin, pathname, search } = this.#url;
    this.#agent.dispatch({ origin, path: pathname + search, method, headers, body: body ?? null }, this);
  }

  #redirectTo(target: URL): BodyReader {
    const follow = (): void => {
      this.#redirects += 1;
      this.#url = target;
      this.#controller = undefined;
      this.#dispatch();
    };
    return new RedirectReader(follow, (error) => this.#handler.onError(error));
  }

  #release(): void {
    this.#isOver = true;
    this.#request.signal?.removeEventListener('abort', this);
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#release();
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) this.#handler.onError(error);
    else reader.fail(error);
  }
}

/** Skips the body of a redirect and then follows it. */
class RedirectReader implements BodyReader {
  readonly end: () => void;
  readonly fail: (error: Error) => void;

  constructor(follow: () => void, fail: (error: Error) => void) {
    this.end = follow;
    this.fail = fail;
  }

  write(): void {
    // The body of a redirect says nothing that is needed.
  }
}

/** Replaces the terse error with which `undici` refuses a header. Neither contains the value, which may be a secret. */
function explainInvalidHeader(error: Error): Error {
  const [, name] = /^invalid (\S+) header$/.exec(error.message) ?? [];
  if (name === undefined) return error;
  return new Error(`the value of the header "${name}" has a character that HTTP does not allow`, { cause: error });
}

/** Throws when a response comes from this very process: mounted in itself, every tool would be listed again with every change. */
export function assertOtherInstance(headers: IncomingHttpHeaders, { origin, pathname }: URL): void {
  if (headers[gatewayInstance.header] !== gatewayInstance.id) return;
  const message = `${origin}${pathname} is this Signalbox itself; take this server out of its configuration`;
  throw Object.assign(new Error(message), { code: 'SIGNALBOX_ITSELF' });
}
