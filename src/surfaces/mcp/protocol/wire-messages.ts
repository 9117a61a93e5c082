import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';

/** The id of a JSON-RPC request. */
export type RequestId = string | number;

/** Error codes of JSON-RPC and MCP. */
export const wireCodes = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603,
  server: -32_000,
  session: -32_001,
  /** Resource not found, in revisions before 2026-07-28. */
  resource: -32_002,
  headers: -32_020,
  capability: -32_021,
  version: -32_022,
} as const;

/** An error that is sent to the client as it is. */
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

/** An error that prevents a request from being served, with its own HTTP status. */
export class Refusal extends WireError {
  readonly status: number;

  constructor(status: number, code: number, message: string, data?: JsonObject) {
    super(code, message, data);
    this.status = status;
  }
}

/** A result that was serialized once for all requests. */
export class Prepared {
  readonly bytes: Buffer;

  constructor(result: JsonObject) {
    this.bytes = Buffer.from(JSON.stringify(result));
  }
}

const lastBrace = Buffer.from('}');

/** The result of a request. */
export type Answer = JsonObject | Prepared;

/** A request of a client. */
export interface WireRequest {
  readonly kind: 'request';
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
}

/** A notification from a client. */
export interface WireNotification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: JsonObject;
}

/** A client’s response to a request of ours. */
export interface WireResponse {
  readonly kind: 'response';
  readonly id: RequestId;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A parsed JSON-RPC message. */
export type WireMessage = WireRequest | WireNotification | WireResponse;

/** Parses a message. Throws a `WireError` for a malformed one. */
export function readMessage(value: unknown): WireMessage {
  if (!isJsonObject(value) || value['jsonrpc'] !== '2.0') throw malformed('it is not a JSON-RPC 2.0 message');
  const { id, method, params = {} } = value;
  if (method === undefined) return readResponse(value);
  if (typeof method !== 'string') throw malformed('its method is not a string');
  if (!isJsonObject(params)) throw malformed('its params are not an object');
  if (id === undefined) return { kind: 'notification', method, params };
  if (!isRequestId(id)) throw malformed('its id is neither a string nor an integer');
  return { kind: 'request', id, method, params };
}

/** Returns the id of a message that may be malformed; `null` if it has none. */
export function idOf(value: unknown): RequestId | null {
  const id = isJsonObject(value) ? value['id'] : undefined;
  return isRequestId(id) ? id : null;
}

/** Serializes a response. */
export function replyText(id: RequestId, answer: Answer): string | Buffer {
  if (!(answer instanceof Prepared)) return JSON.stringify({ jsonrpc: '2.0', id, result: answer });
  return Buffer.concat(replyParts(id, answer));
}

/** Serializes the response with a prepared result in three parts, so that a large result is not copied. */
export function replyParts(id: RequestId, { bytes }: Prepared): readonly [Buffer, Buffer, Buffer] {
  return [Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`), bytes, lastBrace];
}

/** Serializes an error response. */
export function errorText(id: RequestId | null, { code, message, data }: WireError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } });
}

/** Serializes a notification. */
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
  return new WireError(wireCodes.request, `invalid message: ${problem}`);
}
