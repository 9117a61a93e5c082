import { browserKeyHeaders } from './browser-key.ts';
import type { Operations, Problem } from './schema.ts';

type Name = keyof Operations;
type Part<Key extends string, Value> = [Value] extends [undefined]
  ? unknown
  : Partial<Value> extends Value
    ? { readonly [K in Key]?: Value }
    : { readonly [K in Key]: Value };
type Body<Value> = [Value] extends [undefined] ? unknown : { readonly body: Value };
type Given<N extends Name> = Part<'path', Operations[N]['path']> &
  Part<'query', Operations[N]['query']> &
  Body<Operations[N]['body']> & { readonly signal?: AbortSignal };

interface Sent {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** A request that was not served, with what the server says about it. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly issues: NonNullable<Problem['issues']>;

  constructor(status: number, problem: Partial<Problem>) {
    super(problem.detail ?? `the server answered ${status}`);
    this.status = status;
    this.code = problem.code ?? `http-${status}`;
    this.title = problem.title ?? 'That did not work';
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

/** Asks the server. Throws a `ProblemError` for what it does not serve. */
export async function api<N extends Name>(
  name: N,
  ...[given]: Partial<Given<N>> extends Given<N> ? [Given<N>?] : [Given<N>]
): Promise<Operations[N]['answer']> {
  const { path = {}, query = {}, body, signal } = (given ?? {}) as Sent;
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
      title: 'The server does not answer',
      detail: 'Is “signalbox serve” running? This page tries again by itself.',
    });
  }
}

function addressOf(template: string, path: Readonly<Record<string, string>>, query: Sent['query'] = {}): string {
  const place = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(path[key] ?? ''));
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== null)
      search.set(key, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const text = search.toString();
  return text === '' ? place : `${place}?${text}`;
}
