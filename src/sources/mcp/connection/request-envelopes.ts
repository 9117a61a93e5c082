import type { ToolClient } from '../../../core/calls/call-client.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { metaKeys } from '../../../core/mcp-protocol.ts';
import type { ConnectionOptions } from './server-link.ts';

/** Creates the `_meta` fields that the 2026 revision requires in every request: protocol version, client, and the capabilities of the caller. */
export class RequestEnvelopes {
  readonly #options: ConnectionOptions;
  readonly #protocolVersion: string;
  readonly #cache = new Map<string, JsonObject>();

  constructor(options: ConnectionOptions, protocolVersion: string) {
    this.#options = options;
    this.#protocolVersion = protocolVersion;
  }

  /** Returns the envelope for a caller, or for a request of our own. */
  for(client: ToolClient | undefined): JsonObject {
    const { onElicit, onSample } = this.#options.answering;
    const canElicit = client?.elicit !== undefined || onElicit !== undefined;
    const canSample = client?.sample !== undefined || onSample !== undefined;
    const takesLog = client?.log !== undefined || this.#options.logLevel !== undefined;
    const key = `${canElicit} ${canSample} ${takesLog}`;
    let envelope = this.#cache.get(key);
    if (envelope === undefined) this.#cache.set(key, (envelope = this.#create(canElicit, canSample, takesLog)));
    return envelope;
  }

  #create(canElicit: boolean, canSample: boolean, takesLog: boolean): JsonObject {
    const { version, logLevel = 'info' } = this.#options;
    return {
      [metaKeys.protocolVersion]: this.#protocolVersion,
      [metaKeys.clientInfo]: { name: 'signalbox', version },
      [metaKeys.clientCapabilities]: {
        roots: {},
        ...(canElicit ? { elicitation: { form: {}, url: {} } } : {}),
        ...(canSample ? { sampling: { tools: {} } } : {}),
      },
      ...(takesLog ? { [metaKeys.logLevel]: logLevel } : {}),
    };
  }
}
