import { browserKeyHeaders } from './browser-key.ts';
import type { Problem, paths } from './schema.ts';

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

/** The operations of the API, by method and path: `GET /api/approvals`. */
export type OperationName = {
  [Path in keyof paths]: {
    [M in Method]: paths[Path][M] extends object ? `${Uppercase<M>} ${Path}` : never;
  }[Method];
}[keyof paths];

type Operation<N extends OperationName> =
  N extends `${infer M extends Uppercase<Method>} ${infer Path extends keyof paths}`
    ? paths[Path][Lowercase<M>]
    : never;
type Parameter<N extends OperationName, Place extends 'path' | 'query'> =
  Operation<N> extends { readonly parameters: { readonly [_ in Place]?: infer Value } } ? NonNullable<Value> : never;
type JsonIn<Content> = Content extends { readonly content: { readonly 'application/json': infer Json } } ? Json : never;

/** Allows `undefined` for optional properties, which are then left out. */
type OrUndefined<Value> = {
  readonly [Key in keyof Value]: {} extends Pick<Value, Key> ? Value[Key] | undefined : Value[Key];
};

/** The query of an operation. */
export type QueryOf<N extends OperationName> = OrUndefined<Parameter<N, 'query'>>;
/** The JSON that a successful operation returns. */
export type ResponseOf<N extends OperationName> =
  Operation<N> extends { readonly responses: infer Responses } ? JsonIn<Responses[keyof Responses]> : never;
type BodyOf<N extends OperationName> =
  Operation<N> extends { readonly requestBody?: infer Request } ? JsonIn<NonNullable<Request>> : never;

type Part<Key extends string, Value> = [Value] extends [never]
  ? unknown
  : Partial<Value> extends Value
    ? { readonly [K in Key]?: Value }
    : { readonly [K in Key]: Value };
type Body<Value> = [Value] extends [never] ? unknown : { readonly body: Value };
type RequestOptions<N extends OperationName> = Part<'path', Parameter<N, 'path'>> &
  Part<'query', QueryOf<N>> &
  Body<BodyOf<N>> & { readonly signal?: AbortSignal };

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
): Promise<ResponseOf<N>> {
  const { path = {}, query = {}, body, signal } = (given ?? {}) as SentOptions;
  const [method = 'GET', template = ''] = name.split(' ');
  const response = await send(method, addressOf(template, path, query), body, signal);
  if (response.ok) return (response.status === 204 ? undefined : await response.json()) as ResponseOf<N>;
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
