import { browserKeyHeaders } from './browser-key.ts';
import type { Operations, Problem } from './schema.ts';

type OperationName = keyof Operations;
type Part<Key extends string, Value> = [Value] extends [undefined]
  ? unknown
  : Partial<Value> extends Value
    ? { readonly [K in Key]?: Value }
    : { readonly [K in Key]: Value };
type Body<Value> = [Value] extends [undefined] ? unknown : { readonly body: Value };
type RequestOptions<N extends OperationName> = Part<'path', Operations[N]['path']> &
  Part<'query', Operations[N]['query']> &
  Body<Operations[N]['body']> & { readonly signal?: AbortSignal };

interface SentOptions {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** A failed request, with the problem document of the server. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly issues: NonNullable<Problem['issues']>;

  constructor(status: number, problem: Partial<Problem>) {
    super(problem.detail ?? `The server answered with status ${status}`);
    this.status = status;
    this.code = problem.code ?? `http-${status}`;
    this.title = problem.title ?? 'Request failed';
    this.issues = problem.issues ?? [];
  }
}

/** Emits `signed-out`, with the code of the problem as its detail, when the server refuses this browser. */
export const signedOut = new EventTarget();

/** Reports that a response refused this browser. Returns the problem with it. */
export async function reportSignedOut(response: Response): Promise<Partial<Problem>> {
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
  signedOut.dispatchEvent(new CustomEvent('signed-out', { detail: problem.code ?? '' }));
  return problem;
}

/** Calls an operation of the API. Throws a `ProblemError` for any status that is not 2xx. */
export async function api<N extends OperationName>(
  name: N,
  ...[given]: Partial<RequestOptions<N>> extends RequestOptions<N> ? [RequestOptions<N>?] : [RequestOptions<N>]
): Promise<Operations[N]['answer']> {
  const { path = {}, query = {}, body, signal } = (given ?? {}) as SentOptions;
  const [method = 'GET', template = ''] = name.split(' ');
  const response = await send(method, addressOf(template, path, query), body, signal);
  if (response.ok) return (response.status === 204 ? undefined : await response.json()) as Operations[N]['answer'];
  if (response.status === 401) throw new ProblemError(401, await reportSignedOut(response));
  throw new ProblemError(response.status, (await response.json().catch(() => ({}))) as Partial<Problem>);
}

async function send(method: string, address: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  try {
    return await fetch(address, {
      method,
      headers: { ...browserKeyHeaders(), ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new ProblemError(0, {
      title: 'Server not reachable',
      detail: 'Check that “signalbox serve” is running. This page reconnects automatically.',
    });
  }
}

function addressOf(template: string, path: Readonly<Record<string, string>>, query: SentOptions['query'] = {}): string {
  const place = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(path[key] ?? ''));
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== null)
      search.set(key, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const text = search.toString();
  return text === '' ? place : `${place}?${text}`;
}
