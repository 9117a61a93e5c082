import { type LogLevel, logLevels } from '../../../core/calls/call-client.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import { metaKeys, modernVersion } from '../../../core/mcp-protocol.ts';
import { normalizeName } from '../../../core/text/normalize-name.ts';
import { Refusal, wireCodes } from './wire-messages.ts';

/** The name and version that a client reports; empty strings where it reports none. */
export interface ClientName {
  readonly name: string;
  readonly version: string;
}

/** A recent client of this endpoint. Times are in milliseconds since 1970. */
export interface RecentClient extends ClientName {
  /** The protocol revision that it uses. */
  readonly protocolVersion: string;
  readonly principal: string;
  readonly profile: string | undefined;
  /** The session id that its calls are recorded under. */
  readonly session: string;
  readonly since: number;
  readonly seen: number;
  /** Whether it has a request or a stream open now. */
  readonly isInUse: boolean;
}

/** Parses the `clientInfo` of a client, which is unverified. */
export function parseClientName(info: JsonValue | undefined): ClientName {
  const { name, version } = isJsonObject(info) ? info : {};
  return { name: nameIn(name), version: nameIn(version) };
}

function nameIn(value: JsonValue | undefined): string {
  return typeof value === 'string' ? normalizeName(value) : '';
}

/** The capabilities of a client that the tools it calls can use. */
export interface ClientFeatures {
  readonly form: boolean;
  readonly url: boolean;
  readonly sample: boolean;
  readonly roots: boolean;
}

/** Parses the MCP capabilities of a client. */
export function parseClientFeatures(capabilities: JsonValue | undefined): ClientFeatures {
  const { elicitation, sampling, roots } = isJsonObject(capabilities) ? capabilities : {};
  // Revisions without URL elicitation declare form support by an empty object.
  const isBare = isJsonObject(elicitation) && elicitation['form'] === undefined && elicitation['url'] === undefined;
  return {
    form: isJsonObject(elicitation) && (isBare || elicitation['form'] !== undefined),
    url: isJsonObject(elicitation) && elicitation['url'] !== undefined,
    sample: isJsonObject(sampling),
    roots: isJsonObject(roots),
  };
}

/** Returns the log level of that name; `undefined` if there is none. */
export function parseLogLevel(name: JsonValue | undefined): LogLevel | undefined {
  return logLevels.find((level) => level === name);
}

/** Returns whether a message of a level is logged at a minimum level. */
export function isLogged(level: LogLevel, from: LogLevel): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(from);
}

/** Returns the token that a request wants its progress reported under. */
export function parseProgressToken(params: JsonObject): string | number | undefined {
  const meta = params['_meta'];
  const token = isJsonObject(meta) ? meta['progressToken'] : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

/** The client information in a request of revision 2026-07-28. */
export interface RequestEnvelope {
  readonly features: ClientFeatures;
  /** `undefined` when the client wants no log messages. */
  readonly logLevel: LogLevel | undefined;
  readonly client: ClientName;
}

/** Returns the protocol revision in a message’s `_meta`. Only messages of revision 2026-07-28 and later have one. */
export function envelopeVersion(params: JsonObject): string | undefined {
  const version = metaOf(params)[metaKeys.protocolVersion];
  return typeof version === 'string' ? version : undefined;
}

/** Parses the envelope of a request. Refuses a request without one, or of an unsupported revision. */
export function parseEnvelope(params: JsonObject): RequestEnvelope {
  const meta = metaOf(params);
  const version = envelopeVersion(params);
  const capabilities = meta[metaKeys.clientCapabilities];
  const missing = [
    ...(version === undefined ? [metaKeys.protocolVersion] : []),
    ...(isJsonObject(capabilities) ? [] : [metaKeys.clientCapabilities]),
  ];
  if (missing.length > 0)
    throw new Refusal(400, wireCodes.params, `the request lacks ${missing.join(' and ')} in params._meta`, { missing });
  if (version !== modernVersion)
    throw new Refusal(400, wireCodes.version, `${version ?? 'no version'} is not supported`, {
      supported: [modernVersion],
      requested: version ?? '',
    });
  return {
    features: parseClientFeatures(capabilities),
    logLevel: parseLogLevel(meta[metaKeys.logLevel]),
    client: parseClientName(meta[metaKeys.clientInfo]),
  };
}

function metaOf(params: JsonObject): JsonObject {
  const meta = params['_meta'];
  return isJsonObject(meta) ? meta : {};
}
