import type { LogLevel, ToolClient } from '../../../core/calls/call-client.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { metaKeys } from '../../../core/mcp-protocol.ts';
import type { AnsweringOptions } from '../server-messages/server-requests.ts';

/** What all requests of a connection say of this side. */
export interface EnvelopeOptions {
  readonly protocolVersion: string;
  readonly version: string;
  readonly answering: AnsweringOptions;
  readonly logLevel: LogLevel | undefined;
}

/** What the 2026 revision wants in every request: the version spoken, and what can be done for whoever makes this very request. */
export class RequestEnvelopes {
  readonly #options: EnvelopeOptions;
  readonly #made = new Map<string, JsonObject>();

  constructor(options: EnvelopeOptions) {
    this.#options = options;
  }

  /** The envelope for a caller; without one, for a request of our own. */
  for(client: ToolClient | undefined): JsonObject {
    const { onElicit, onSample } = this.#options.answering;
    const canElicit = client?.elicit !== undefined || onElicit !== undefined;
    const canSample = client?.sample !== undefined || onSample !== undefined;
    const takesLog = client?.log !== undefined || this.#options.logLevel !== undefined;
    const key = `${canElicit} ${canSample} ${takesLog}`;
    let envelope = this.#made.get(key);
    if (envelope === undefined) this.#made.set(key, (envelope = this.#make(canElicit, canSample, takesLog)));
    return envelope;
  }

  #make(canElicit: boolean, canSample: boolean, takesLog: boolean): JsonObject {
    const { protocolVersion, version, logLevel = 'info' } = this.#options;
    return {
      [metaKeys.protocolVersion]: protocolVersion,
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
