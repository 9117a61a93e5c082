import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';

/** What a request is answered under. */
export type RequestId = string | number;

/** Codes of JSON-RPC and of MCP. */
export const wireCodes = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603,
  server: -32_000,
  session: -32_001,
  /** How revisions before 2026-07-28 say that there is no such resource. */
  resource: -32_002,
  headers: -32_020,
  capability: -32_021,
  version: -32_022,
} as const;

/** An error that the other side is told as it is. */
export class WireError extends Error {
  override readonly name = 'WireError';
  readonly code: number;
  readonly data: JsonValue | undefined;

  constructor(code: number, message: string, data?: JsonValue) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** An error found before a request is served: over HTTP it has a status of its own. */
export class Refusal extends WireError {
  readonly status: number;

  constructor(status: number, code: number, message: string, data?: JsonObject) {
    super(code, message, data);
    this.status = status;
  }
}

/** A result that was written once for everybody who asks for it. */
export class Prepared {
  readonly bytes: Buffer;

  constructor(result: JsonObject) {
    this.bytes = Buffer.from(JSON.stringify(result));
  }
}

const lastBrace = Buffer.from('}');

/** What a request comes to. */
export type Answer = JsonObject | Prepared;

/** A request of a client. */
export interface WireRequest {
  readonly kind: 'request';
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
}

/** Something a client tells. */
export interface WireNotification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: JsonObject;
}

/** What a client answers to a question of ours. */
export interface WireResponse {
  readonly kind: 'response';
  readonly id: RequestId;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A message, taken apart. */
export type WireMessage = WireRequest | WireNotification | WireResponse;

/** Takes a message apart; throws what is wrong with its form. */
export function readMessage(value: unknown): WireMessage {
  if (!isJsonObject(value) || value['jsonrpc'] !== '2.0') throw malformed('it is no JSON-RPC 2.0 message');
  const { id, method, params = {} } = value;
  if (method === undefined) return readResponse(value);
  if (typeof method !== 'string') throw malformed('its method is no text');
  if (!isJsonObject(params)) throw malformed('its params are no object');
  if (id === undefined) return { kind: 'notification', method, params };
  if (!isRequestId(id)) throw malformed('its id is neither a text nor a whole number');
  return { kind: 'request', id, method, params };
}

/** The id under which whatever came can be answered, if it has one. */
export function idOf(value: unknown): RequestId | null {
  const id = isJsonObject(value) ? value['id'] : undefined;
  return isRequestId(id) ? id : null;
}

/** The text of an answer. */
export function replyText(id: RequestId, answer: Answer): string | Buffer {
  if (!(answer instanceof Prepared)) return JSON.stringify({ jsonrpc: '2.0', id, result: answer });
  return Buffer.concat(replyParts(id, answer));
}

/** The same in pieces, for a prepared answer: it may be large, and need not be copied for each who asks. */
export function replyParts(id: RequestId, { bytes }: Prepared): readonly [Buffer, Buffer, Buffer] {
  return [Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`), bytes, lastBrace];
}

/** The text of an error. */
export function errorText(id: RequestId | null, { code, message, data }: WireError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } });
}

/** The text of something that is told without being asked. */
export function notificationText(method: string, params: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

function readResponse({ id, result, error }: JsonObject): WireResponse {
  if (!isRequestId(id)) throw malformed('it has neither a method nor an id');
  if (isJsonObject(result)) return { kind: 'response', id, result };
  if (!isJsonObject(error)) throw malformed('it has neither a method, a result nor an error');
  const { code, message } = error;
  return {
    kind: 'response',
    id,
    error: {
      code: typeof code === 'number' ? code : wireCodes.internal,
      message: typeof message === 'string' ? message : 'an error without a message',
    },
  };
}

function isRequestId(id: JsonValue | undefined): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

function malformed(problem: string): WireError {
  return new WireError(wireCodes.request, `this is not a message that can be served: ${problem}`);
}
