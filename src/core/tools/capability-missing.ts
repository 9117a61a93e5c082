import type { JsonObject } from '../json/json.ts';

/** What a source throws when a server needs its caller to be able to do something that the caller cannot. */
export class CapabilityMissing extends Error {
  override readonly name = 'CapabilityMissing';
  /** What is needed, in the shape that MCP gives the capabilities of clients. */
  readonly required: JsonObject;

  constructor(message: string, required: JsonObject, options?: ErrorOptions) {
    super(message, options);
    this.required = required;
  }
}
