import type { IncomingMessage } from 'node:http';
import { type ErrorCode, SignalboxError, errorCodes, messageOf } from '../../core/errors.ts';
import type { Principal } from '../../core/principal.ts';
import { formatPrincipal, principalHeader } from '../../server/access/tokens/command-line.ts';
import { CliError } from '../cli-error.ts';
import { localUser } from '../../access/local-user.ts';

// Not imported: the ES module namespace of `node:http` reads getters that load all of `fetch`.
const { request: httpRequest } = process.getBuiltinModule('node:http');

/** Options of a request. */
export interface ApiRequestOptions {
  readonly body?: object;
  /** The principal of the request; by default the user of this machine. */
  readonly principal?: Principal;
  readonly signal?: AbortSignal | undefined;
  /** The maximum time to wait for the response headers. */
  readonly timeoutMs?: number;
}

/** A problem response that has no local error code. */
interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly issues?: readonly { readonly path: string; readonly message: string }[] | undefined;
}

/** Talks to the HTTP API of a server on this machine. It follows no redirects, because `node:http` follows none. */
export class ServerClient {
  readonly url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.url = url;
    this.#key = key;
  }

  /** Returns the JSON of the response. Rejects with the error that the server reports, as a local error. */
  async request<Answer>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    options: ApiRequestOptions = {},
  ): Promise<Answer> {
    const response = await this.#send(method, path, 'application/json', options);
    const text = await textOf(response);
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) throw this.#refused(status, text);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  /** Yields the events of a stream until it ends. */
  async *events(
    path: string,
    options: ApiRequestOptions,
  ): AsyncGenerator<{ readonly event: string; readonly data: unknown }> {
    const response = await this.#send('POST', path, 'text/event-stream', options);
    if (response.statusCode !== 200) throw this.#refused(response.statusCode ?? 0, await textOf(response));
    response.setEncoding('utf8');
    let rest = '';
    for await (const chunk of response as AsyncIterable<string>) {
      const frames = (rest + chunk).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const [, event, data] = /^event: (.+)\ndata: (.+)$/m.exec(frame) ?? [];
        if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) as unknown };
      }
    }
  }

  #send(method: string, path: string, accept: string, options: ApiRequestOptions): Promise<IncomingMessage> {
    const { body, principal = localUser(), signal, timeoutMs } = options;
    const text = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = httpRequest(`${this.url}${path}`, {
        method,
        agent: false,
        headers: {
          accept,
          authorization: `Bearer ${this.#key}`,
          [principalHeader]: formatPrincipal(principal),
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
        signal,
      });
      if (timeoutMs !== undefined)
        sent.setTimeout(timeoutMs, () => sent.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
      sent.once('response', resolve);
      sent.once('error', (error) => reject(this.#lost(error)));
      sent.end(text);
    });
  }

  #lost(error: Error): CliError {
    return new CliError(1, 'server-lost', `the server at ${this.url} does not answer: ${messageOf(error)}`, {
      next: 'signalbox status; or add --local to work without the server',
      cause: error,
    });
  }

  #refused(status: number, text: string): Error {
    const refusal = refusalOf(text);
    if (refusal === undefined)
      return new CliError(1, 'server-lost', `the server at ${this.url} responds with ${status}`, {
        next: 'signalbox status',
      });
    if (refusal.code in errorCodes) return new SignalboxError(refusal.code as ErrorCode, refusal.detail);
    return new CliError(1, refusal.code, refusal.detail, {
      data: { issues: refusal.issues },
      next: 'signalbox doctor',
    });
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response as AsyncIterable<string>) text += chunk;
  return text;
}

function refusalOf(text: string): Refusal | undefined {
  try {
    const { code, detail, issues } = JSON.parse(text) as Partial<Refusal>;
    if (typeof code !== 'string' || typeof detail !== 'string') return undefined;
    return { code, detail, issues };
  } catch {
    return undefined;
  }
}
