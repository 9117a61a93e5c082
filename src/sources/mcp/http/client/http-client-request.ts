import { type AbortSignalLike, abortReason } from '../../../../core/async/light-abort-signal.ts';
import { gatewayInstance } from '../../../../core/mcp-protocol.ts';
import type { IncomingHttpHeaders } from 'node:http';
import type { Agent, Dispatcher } from 'undici';

/** A URL with the parts that every request needs. `URL` builds them again on each access. */
export interface HttpTarget {
  readonly url: URL;
  readonly origin: string;
  readonly path: string;
}

/** A request for one of the methods of the MCP endpoint. */
export interface HttpRequestOptions {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly target: HttpTarget;
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
interface HttpResponseHandler {
  onResponse(head: HttpResponseHead): BodyReader;
  onError(error: Error): void;
}

const maxRedirects = 5;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Returns the target of requests to a URL. */
export function httpTarget(url: URL): HttpTarget {
  return { url, origin: url.origin, path: url.pathname + url.search };
}

/**
 * One HTTP request and its response, on callbacks instead of streams, since every tool call makes one. A request is never sent twice.
 * When the signal is aborted, the connection of the request is closed, also while the body is read.
 */
export class HttpClientRequest implements Dispatcher.DispatchHandler {
  readonly #agent: Agent;
  readonly #request: HttpRequestOptions;
  readonly #handler: HttpResponseHandler;
  #target: HttpTarget;
  #redirects = 0;
  /** The URL of a redirect that is followed as soon as its response has ended. */
  #redirectTo: URL | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #reader: BodyReader | undefined;
  #abortReason: Error | undefined;
  #isOver = false;

  constructor(agent: Agent, request: HttpRequestOptions, handler: HttpResponseHandler) {
    this.#agent = agent;
    this.#request = request;
    this.#handler = handler;
    this.#target = request.target;
  }

  /** Sends the request, unless its signal is aborted. */
  start(): void {
    const { signal } = this.#request;
    if (signal?.aborted === true) return this.handleEvent();
    signal?.addEventListener('abort', this, { once: true });
    this.#dispatch();
  }

  /** Handles the `abort` event of the signal: closes the connection. */
  handleEvent(): void {
    const reason = abortReason(this.#request.signal ?? { reason: 'cancelled' });
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
    const { url } = this.#target;
    assertOtherInstance(headers, url);
    const redirect = redirectStatuses.has(status) ? redirectOf(url, headers) : undefined;
    const problem = redirect && unfollowedRedirect(url, redirect, this.#request.method, status);
    if (redirect !== undefined && problem === undefined && this.#redirects < maxRedirects) this.#redirectTo = redirect;
    else this.#reader = this.#handler.onResponse({ status, statusText, headers, redirectProblem: problem });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#reader?.write(chunk);
  }

  onResponseEnd(): void {
    if (this.#redirectTo !== undefined) return this.#follow(this.#redirectTo);
    const reader = this.#reader;
    this.#reader = undefined;
    this.#release();
    reader?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#fail(explainInvalidHeader(error));
  }

  #dispatch(): void {
    const { method, headers, body = null } = this.#request;
    const { origin, path } = this.#target;
    this.#agent.dispatch({ origin, path, method, headers, body }, this);
  }

  #follow(url: URL): void {
    this.#redirects += 1;
    this.#redirectTo = undefined;
    this.#target = httpTarget(url);
    this.#controller = undefined;
    this.#dispatch();
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

/** Replaces the terse error with which `undici` refuses a header. Neither contains the value, which may be a secret. */
function explainInvalidHeader(error: Error): Error {
  const [, name] = /^invalid (\S+) header$/.exec(error.message) ?? [];
  if (name === undefined) return error;
  return new Error(`the value of the header "${name}" has a character that HTTP does not allow`, { cause: error });
}

function redirectOf(from: URL, { location }: IncomingHttpHeaders): URL | undefined {
  return location === undefined ? undefined : (URL.parse(location, from.href) ?? undefined);
}

/**
 * Returns why a redirect is not followed, or undefined when it is: it must keep the method, the credentials and the origin, or lead from
 * http to https of the same host. Anything else could send the request, with its headers, to a server that was not configured.
 */
function unfollowedRedirect(from: URL, to: URL, method: string, status: number): string | undefined {
  const keepsMethod = method === 'GET' || status === 307 || status === 308;
  const hasOwnCredentials = to.username !== '' || to.password !== '';
  const keepsCredentials = !hasOwnCredentials || (to.username === from.username && to.password === from.password);
  if (keepsMethod && keepsCredentials && isWithinOrigin(from, to)) return undefined;
  const place = `${to.host}${to.pathname}`;
  if (to.protocol === 'http:' && from.protocol === 'https:')
    return `Redirect from https to plain http not followed; try https://${place} as the endpoint`;
  return `Redirect to ${to.protocol}//${place} not followed; use that URL as the endpoint if it is the intended server`;
}

function isWithinOrigin(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.hostname;
  return isUpgrade && from.port === '' && to.port === '';
}

/** Throws when a response comes from this very process: mounted in itself, every tool would be listed again with every change. */
export function assertOtherInstance(headers: IncomingHttpHeaders, { origin, pathname }: URL): void {
  if (headers[gatewayInstance.header] !== gatewayInstance.id) return;
  const message = `${origin}${pathname} is this Signalbox itself; take this server out of its configuration`;
  throw Object.assign(new Error(message), { code: 'SIGNALBOX_ITSELF' });
}
