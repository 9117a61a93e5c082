import { type LogLevel, logLevels } from '../../../core/calls/call-client.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import { metaKeys, modernVersion } from '../../../core/mcp-protocol.ts';
import { normalizeName } from '../../../core/text/normalize-name.ts';
import { Refusal, wireCodes } from './wire-messages.ts';

/** What a client calls itself; empty where it does not say. */
export interface ClientName {
  readonly name: string;
  readonly version: string;
}

/** A client of this endpoint that was heard of not long ago. Times are milliseconds since 1970. */
export interface SeenClient extends ClientName {
  /** The revision of the protocol it speaks. */
  readonly protocolVersion: string;
  readonly principal: string;
  readonly profile: string | undefined;
  /** What its calls are recorded under. */
  readonly session: string;
  readonly since: number;
  readonly seen: number;
  /** Whether something of it is open now: a request, or a stream that it listens to. */
  readonly isInUse: boolean;
}

/** Clients choose what they say of themselves. */
export function parseClientName(info: JsonValue | undefined): ClientName {
  const { name, version } = isJsonObject(info) ? info : {};
  return { name: nameIn(name), version: nameIn(version) };
}

function nameIn(value: JsonValue | undefined): string {
  return typeof value === 'string' ? normalizeName(value) : '';
}

/** What a client can do for the tools it calls. */
export interface ClientFeatures {
  readonly form: boolean;
  readonly url: boolean;
  readonly sample: boolean;
  readonly roots: boolean;
}

/** What a client says it can do, in the form of MCP. */
export function parseClientFeatures(capabilities: JsonValue | undefined): ClientFeatures {
  const { elicitation, sampling, roots } = isJsonObject(capabilities) ? capabilities : {};
  // An empty object is what revisions without pages to visit say of forms.
  const isBare = isJsonObject(elicitation) && elicitation['form'] === undefined && elicitation['url'] === undefined;
  return {
    form: isJsonObject(elicitation) && (isBare || elicitation['form'] !== undefined),
    url: isJsonObject(elicitation) && elicitation['url'] !== undefined,
    sample: isJsonObject(sampling),
    roots: isJsonObject(roots),
  };
}

/** The level of that name. */
export function parseLogLevel(name: JsonValue | undefined): LogLevel | undefined {
  return logLevels.find((level) => level === name);
}

/** Whether a message is important enough. */
export function isLogged(level: LogLevel, from: LogLevel): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(from);
}

/** The token under which a request wants to hear of its progress. */
export function parseProgressToken(params: JsonObject): string | number | undefined {
  const meta = params['_meta'];
  const token = isJsonObject(meta) ? meta['progressToken'] : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

/** What a request of the 2026 revision says of its client. */
export interface RequestEnvelope {
  readonly features: ClientFeatures;
  /** Absent: the client wants no messages. */
  readonly logLevel: LogLevel | undefined;
  readonly client: ClientName;
}

/** The revision that a message names, if it does: what tells the eras apart. */
export function envelopeVersion(params: JsonObject): string | undefined {
  const version = metaOf(params)[metaKeys.protocolVersion];
  return typeof version === 'string' ? version : undefined;
}

/** Reads the envelope; refuses a request without one, or of a revision that is not spoken here. */
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
    throw new Refusal(400, wireCodes.version, `${version ?? 'no version'} is not spoken here`, {
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
