import type { JsonObject, JsonValue } from '../json/json.ts';

/** The JSON-RPC error by which an MCP server answered a request, as the server sent it. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: JsonValue | undefined;

  constructor(code: number, message: string, data: JsonValue | undefined) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Codes for problems with Signalbox's own request (headers, capabilities, version), not with the caller's. */
const hopCodes: ReadonlySet<number> = new Set([-32_020, -32_021, -32_022]);

/** Returns the server's JSON-RPC error behind an error, unless it concerns the connection between Signalbox and the server. */
export function rpcErrorOf(error: unknown): RpcError | undefined {
  for (let each = error; each instanceof Error; each = each.cause)
    if (each instanceof RpcError) return hopCodes.has(each.code) ? undefined : each;
  return undefined;
}

/** SerializedError by a source when a server needs a capability that the caller does not have. */
export class CapabilityMissingError extends Error {
  override readonly name = 'CapabilityMissingError';
  /** The missing capabilities, in the shape of MCP client capabilities. */
  readonly required: JsonObject;

  constructor(message: string, required: JsonObject, options?: ErrorOptions) {
    super(message, options);
    this.required = required;
  }
}

/** SerializedError by a source when the connection to a tool broke while it ran, so that it is unknown whether the tool acted. */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError';
}

/** SerializedError by a source when a call could not be delivered to its server, so that nothing ran. */
export class ServerUnreachableError extends Error {
  override readonly name = 'ServerUnreachableError';
}
