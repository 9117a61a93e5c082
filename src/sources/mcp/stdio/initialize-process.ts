import type { PriorDiscovery } from '@modelcontextprotocol/client';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import { metaKeys, modernVersion, sessionVersions } from '../../../core/mcp-protocol.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { ConnectionLostError, RemoteError } from '../connection/connection-errors.ts';
import type { DiscoverResult, InitializeResult, ConnectionOptions } from '../connection/server-link.ts';
import type { RpcChannel } from '../connection/rpc-channel.ts';
import { clientCapabilities } from '../server-messages/server-requests.ts';
import { settlesWithin } from '../connection/settles-within.ts';

/** The protocol versions with a handshake, newest first; the last is older than any that we serve. */
const legacyVersions = [...sessionVersions, '2024-10-07'] as const;
/** The error by which a server of the 2026 revision or later lists its supported versions. */
const unsupportedVersion = -32_022;

type Options = Pick<ConnectionOptions, 'version' | 'probeAloneMs' | 'timeoutMs'>;

/** Negotiates the newest protocol version that both sides support. A program that does not understand the probe gets the older handshake. */
export async function initializeProcess(
  channel: RpcChannel,
  prior: PriorDiscovery | undefined,
  options: Options,
): Promise<InitializeResult> {
  if (prior?.kind === 'modern') return toInitializeResult(prior.discover);
  if (prior?.kind === 'legacy') return await initialize(channel, options);
  const probing = discover(channel, options);
  if (!(await settlesWithin(probing, options.probeAloneMs)))
    return await initializeSlowProcess(channel, probing, options);
  const discovered = await probing;
  return discovered ? toInitializeResult(discovered) : await initialize(channel, options);
}

/**
 * Tries the older handshake beside the probe: the program may be slow to start, or may ignore unknown requests. A server of both eras
 * uses the older one once it has answered `initialize`; the next connection starts with the newer.
 */
async function initializeSlowProcess(
  channel: RpcChannel,
  probing: Promise<DiscoverResult | undefined>,
  options: Options,
): Promise<InitializeResult> {
  let probed: Pick<InitializeResult, 'discovered' | 'isGuess'> = { isGuess: true };
  const probeEnd = probing.then((discovered) => (probed = discovered === undefined ? {} : { discovered }));
  probeEnd.catch(() => undefined);
  try {
    return { ...(await initialize(channel, options)), ...probed };
  } catch (error) {
    const { discovered } = await probeEnd;
    if (discovered === undefined) throw error;
    return toInitializeResult(discovered);
  }
}

/** Probes for the 2026 revision. Returns undefined when the server does not support it. */
async function discover(channel: RpcChannel, { version, timeoutMs }: Options): Promise<DiscoverResult | undefined> {
  const _meta = {
    [metaKeys.protocolVersion]: modernVersion,
    [metaKeys.clientInfo]: { name: 'signalbox', version },
    [metaKeys.clientCapabilities]: clientCapabilities as JsonObject,
  };
  try {
    const result = await channel.request('server/discover', { _meta }, { timeoutMs });
    return isDiscoverResult(result) && result.supportedVersions.includes(modernVersion) ? result : undefined;
  } catch (error) {
    // A program that exits on the probe gets the older handshake next time. One that is silent may still answer `initialize`.
    if (channel.isLost || !(error instanceof RemoteError || error instanceof ConnectionLostError)) throw error;
    if (error instanceof RemoteError && error.code === unsupportedVersion && listsModernVersion(error.data))
      throw refusal(error);
    return undefined;
  }
}

/** Returns whether the server lists a version of the 2026 revision or later. If not, it gets the older handshake. */
function listsModernVersion(data: JsonValue | undefined): boolean {
  const supported = isJsonObject(data) ? data['supported'] : undefined;
  return Array.isArray(supported) && supported.some((each) => typeof each === 'string' && each >= modernVersion);
}

function isDiscoverResult(result: object): result is DiscoverResult {
  const { supportedVersions, capabilities } = result as JsonObject;
  return Array.isArray(supportedVersions) && isJsonObject(capabilities);
}

function toInitializeResult(discovered: DiscoverResult): InitializeResult {
  if (!isDiscoverResult(discovered) || !discovered.supportedVersions.includes(modernVersion))
    throw new Error(`it no longer supports protocol version ${modernVersion}`);
  const { capabilities, instructions, _meta } = discovered;
  const serverInfo = _meta?.[metaKeys.serverInfo];
  return omitUndefined({
    isModern: true,
    protocolVersion: modernVersion,
    capabilities: capabilities as JsonObject,
    serverInfo: isJsonObject(serverInfo) ? serverInfo : undefined,
    instructions: typeof instructions === 'string' ? instructions : undefined,
    discovered,
  });
}

async function initialize(channel: RpcChannel, { version, timeoutMs }: Options): Promise<InitializeResult> {
  const params = {
    protocolVersion: legacyVersions[0],
    capabilities: clientCapabilities as JsonObject,
    clientInfo: { name: 'signalbox', version },
  };
  const result = await channel.request('initialize', params, { timeoutMs }).catch((error: unknown) => {
    throw error instanceof RemoteError ? refusal(error) : error;
  });
  const { capabilities, serverInfo, instructions } = result;
  const protocolVersion = legacyVersions.find((each) => each === result['protocolVersion']);
  if (protocolVersion === undefined)
    throw new Error(
      `it answered with protocol version ${JSON.stringify(result['protocolVersion'])}, which is not supported`,
    );
  if (!isJsonObject(capabilities) || !isJsonObject(serverInfo))
    throw new Error('its response to initialize has no capabilities or no server info');
  await channel.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return omitUndefined({
    isModern: false,
    protocolVersion,
    capabilities,
    serverInfo,
    instructions: typeof instructions === 'string' ? instructions : undefined,
  });
}

/** Returns an error of another class than `RemoteError`, so that the next attempt tries the other handshake. */
function refusal(error: RemoteError): Error {
  return new Error(`it rejects the handshake: ${error.message}`, { cause: error });
}
