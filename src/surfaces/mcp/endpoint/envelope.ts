import type { LogLevel } from '../../../core/client.ts';
import { type JsonObject, isJsonObject } from '../../../core/json.ts';
import { metaKeys, modernVersion } from '../../../core/mcp-protocol.ts';
import { type Abilities, abilitiesOf, logLevelOf } from './abilities.ts';
import { type ClientName, clientName } from './seen-client.ts';
import { Refusal, wireCodes } from './wire.ts';

/** What a request of the 2026 revision says of its client. */
export interface Envelope {
  readonly abilities: Abilities;
  /** Absent: the client wants no messages. */
  readonly logLevel: LogLevel | undefined;
  readonly client: ClientName;
}

/** The revision that a message names, if it does: what tells the eras apart. */
export function namedVersion(params: JsonObject): string | undefined {
  const version = metaOf(params)[metaKeys.protocolVersion];
  return typeof version === 'string' ? version : undefined;
}

/** Reads the envelope; refuses a request without one, or of a revision that is not spoken here. */
export function readEnvelope(params: JsonObject): Envelope {
  const meta = metaOf(params);
  const version = namedVersion(params);
  const capabilities = meta[metaKeys.clientCapabilities];
  const missing = [
    ...(version === undefined ? [metaKeys.protocolVersion] : []),
    ...(isJsonObject(capabilities) ? [] : [metaKeys.clientCapabilities]),
  ];
  if (missing.length > 0)
    throw new Refusal(400, wireCodes.params, `the request lacks ${missing.join(' and ')} in params._meta`, { missing });
  if (version !== modernVersion)
    throw new Refusal(400, wireCodes.version, `${version ?? 'no version'} is not spoken here`, {
      supported: [modernVersion],
      requested: version ?? '',
    });
  return {
    abilities: abilitiesOf(capabilities),
    logLevel: logLevelOf(meta[metaKeys.logLevel]),
    client: clientName(meta[metaKeys.clientInfo]),
  };
}

function metaOf(params: JsonObject): JsonObject {
  const meta = params['_meta'];
  return isJsonObject(meta) ? meta : {};
}
