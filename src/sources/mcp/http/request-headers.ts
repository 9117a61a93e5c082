import { urlToHttpOptions } from 'node:url';
import { type JSONRPCMessage, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/client';
import { encodeHeaderValue } from '../../../catalog/schema/parameter-headers.ts';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';

/** The state of a connection that its headers carry. */
export interface HeaderState {
  readonly sessionId: string | undefined;
  readonly protocolVersion: string | undefined;
  readonly token: string | undefined;
}

/** Headers that describe the connection or the body, which are not the configuration's to set. */
const managedHeaders =
  /^(?:accept|content-type|content-length|connection|keep-alive|transfer-encoding|trailer|upgrade|expect)$/;

/** The parameter that the header `Mcp-Name` repeats, by method. */
const nameParameters: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** Builds the headers of requests as flat lists, names and values in turn. */
export class RequestHeaders {
  /** The headers of every POST, GET and DELETE. */
  readonly #post: readonly string[];
  readonly #get: readonly string[];
  readonly #delete: readonly string[];
  /** Configured headers that a request may replace. */
  readonly #replaceable: readonly (readonly [string, string])[];

  constructor(url: URL, configured: Readonly<Record<string, string>>) {
    const { auth } = urlToHttpOptions(url);
    const credentials = auth ? { authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {};
    const lowerCased = Object.entries(configured).map(([name, value]) => [name.toLowerCase(), value] as const);
    const merged = Object.entries({ ...credentials, ...Object.fromEntries(lowerCased) });
    const accepted = merged.filter(([name, value]) => name === 'accept' && value !== '').map(([, value]) => value);
    const accepting = (types: string): string => [...accepted, types].join(', ');
    const own = merged.filter(([name]) => !managedHeaders.test(name));
    const isReplaceable = (name: string): boolean => name === 'authorization' || name.startsWith('mcp-');
    const base = own.filter(([name]) => !isReplaceable(name)).flat();
    const json = 'application/json';
    this.#post = [...base, 'accept', accepting(`${json}, text/event-stream`), 'content-type', json];
    this.#get = [...base, 'accept', accepting('text/event-stream')];
    this.#delete = base;
    this.#replaceable = own.filter(([name]) => isReplaceable(name));
  }

  /** Returns the headers of a POST with this message. */
  forMessage(message: JSONRPCMessage, state: HeaderState, extra?: Readonly<Record<string, string>>): string[] {
    const headers = [...this.#post];
    if (extra !== undefined) for (const name of Object.keys(extra)) headers.push(name.toLowerCase(), extra[name] ?? '');
    const method = 'method' in message ? message.method : '';
    const version = envelopeVersion(message);
    if (version !== undefined) {
      headers.push('mcp-method', method);
      const name = nameOf(method, message);
      if (name !== undefined) headers.push('mcp-name', encodeHeaderValue(name));
    }
    return this.#withState(headers, method === 'initialize' ? { ...state, sessionId: undefined } : state, version);
  }

  /** Returns the headers of a GET for an event stream. */
  forStream(state: HeaderState, lastEventId: string | undefined): string[] {
    const resumption = lastEventId === undefined ? [] : ['last-event-id', lastEventId];
    return this.#withState([...this.#get, ...resumption], state);
  }

  /** Returns the headers of the DELETE that ends the session. */
  forDelete(state: HeaderState): string[] {
    return this.#withState([...this.#delete], state);
  }

  #withState(headers: string[], { sessionId, protocolVersion, token }: HeaderState, envelope?: string): string[] {
    const version = envelope ?? protocolVersion;
    if (sessionId !== undefined) headers.push('mcp-session-id', sessionId);
    if (version !== undefined) headers.push('mcp-protocol-version', version);
    if (token !== undefined) headers.push('authorization', `Bearer ${token}`);
    for (const [name, value] of this.#replaceable) if (!hasHeader(headers, name)) headers.push(name, value);
    return headers;
  }
}

function hasHeader(headers: readonly string[], name: string): boolean {
  for (let index = 0; index < headers.length; index += 2) if (headers[index] === name) return true;
  return false;
}

/** Returns the version of the 2026 envelope that a request carries. */
export function envelopeVersion(message: JSONRPCMessage): string | undefined {
  if (!('method' in message) || !('id' in message)) return undefined;
  const meta = (message.params as JsonObject | undefined)?.['_meta'];
  const version = isJsonObject(meta) ? meta[PROTOCOL_VERSION_META_KEY] : undefined;
  return typeof version === 'string' ? version : undefined;
}

function nameOf(method: string, message: JSONRPCMessage): string | undefined {
  const parameter = Object.hasOwn(nameParameters, method) ? nameParameters[method] : undefined;
  if (parameter === undefined || !('params' in message)) return undefined;
  const value = (message.params as JsonObject | undefined)?.[parameter];
  return typeof value === 'string' ? value : undefined;
}
