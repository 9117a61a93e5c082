import type { PriorDiscovery } from '@modelcontextprotocol/client';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import { metaKeys, modernVersion, sessionVersions } from '../../../core/mcp-protocol.ts';
import { ConnectionLost, RemoteError } from '../connection/connection-errors.ts';
import type { DiscoverResult, InitializeResult, ConnectOptions } from '../connection/server-link.ts';
import type { RpcChannel } from '../connection/rpc-channel.ts';
import { clientCapabilities } from '../server-messages/server-requests.ts';
import { settlesWithin } from '../connection/settles-within.ts';

/** The revisions with a handshake, the newest first; the last is older than any that we serve. */
const legacyVersions = [...sessionVersions, '2024-10-07'] as const;
/** By this error a server of the 2026 revision, or a later one, says which it speaks. */
const unsupportedVersion = -32_022;

type Options = Pick<ConnectOptions, 'version' | 'probeAloneMs' | 'timeoutMs'>;

/** Asks a program what it is, in the newest revision that both sides speak: whatever makes nothing of that gets the old handshake. */
export async function initializeProcess(
  lane: RpcChannel,
  prior: PriorDiscovery | undefined,
  options: Options,
): Promise<InitializeResult> {
  if (prior?.kind === 'modern') return modernGreeting(prior.discover);
  if (prior?.kind === 'legacy') return await initialize(lane, options);
  const probing = discover(lane, options);
  if (!(await settlesWithin(probing, options.probeAloneMs))) return await greetSlowProcess(lane, probing, options);
  const discovered = await probing;
  return discovered ? modernGreeting(discovered) : await initialize(lane, options);
}

/**
 * Tries the old handshake beside the probe: the program may be slow to start, or ignore what it does not know. A server of both
 * eras speaks the older one once it has answered `initialize`; the next connection starts with the newer.
 */
async function greetSlowProcess(
  lane: RpcChannel,
  probing: Promise<DiscoverResult | undefined>,
  options: Options,
): Promise<InitializeResult> {
  let probed: Pick<InitializeResult, 'discovered' | 'isGuess'> = { isGuess: true };
  const noted = probing.then((discovered) => (probed = discovered === undefined ? {} : { discovered }));
  noted.catch(() => undefined);
  try {
    return { ...(await initialize(lane, options)), ...probed };
  } catch (error) {
    const { discovered } = await noted;
    if (discovered === undefined) throw error;
    return modernGreeting(discovered);
  }
}

/** What it answers in the 2026 revision; nothing, if it is of an older one. */
async function discover(lane: RpcChannel, { version, timeoutMs }: Options): Promise<DiscoverResult | undefined> {
  const _meta = {
    [metaKeys.protocolVersion]: modernVersion,
    [metaKeys.clientInfo]: { name: 'signalbox', version },
    [metaKeys.clientCapabilities]: clientCapabilities as JsonObject,
  };
  try {
    const result = await lane.request('server/discover', { _meta }, { timeoutMs });
    return isDiscovered(result) && result.supportedVersions.includes(modernVersion) ? result : undefined;
  } catch (error) {
    // Whoever ends when it is asked is asked in the old way next time; whoever says nothing may still answer the old way.
    if (lane.isLost || !(error instanceof RemoteError || error instanceof ConnectionLost)) throw error;
    if (error instanceof RemoteError && error.code === unsupportedVersion && speaksLaterAlone(error.data))
      throw refusal(error);
    return undefined;
  }
}

/** Whether it names revisions without a handshake, none of which is ours. */
function speaksLaterAlone(data: JsonValue | undefined): boolean {
  const supported = isJsonObject(data) ? data['supported'] : undefined;
  return Array.isArray(supported) && supported.some((each) => typeof each === 'string' && each >= modernVersion);
}

function isDiscovered(result: object): result is DiscoverResult {
  const { supportedVersions, capabilities } = result as JsonObject;
  return Array.isArray(supportedVersions) && isJsonObject(capabilities);
}

function modernGreeting(discovered: DiscoverResult): InitializeResult {
  if (!isDiscovered(discovered) || !discovered.supportedVersions.includes(modernVersion))
    throw new Error(`it does not speak ${modernVersion} any more`);
  const { capabilities, instructions, _meta } = discovered;
  const serverInfo = _meta?.[metaKeys.serverInfo];
  return {
    isModern: true,
    protocolVersion: modernVersion,
    capabilities: capabilities as JsonObject,
    ...(isJsonObject(serverInfo) ? { serverInfo } : {}),
    ...(typeof instructions === 'string' ? { instructions } : {}),
    discovered,
  };
}

async function initialize(lane: RpcChannel, { version, timeoutMs }: Options): Promise<InitializeResult> {
  const asked = {
    protocolVersion: legacyVersions[0],
    capabilities: clientCapabilities as JsonObject,
    clientInfo: { name: 'signalbox', version },
  };
  const result = await lane.request('initialize', asked, { timeoutMs }).catch((error: unknown) => {
    throw error instanceof RemoteError ? refusal(error) : error;
  });
  const { capabilities, serverInfo, instructions } = result;
  const protocolVersion = legacyVersions.find((each) => each === result['protocolVersion']);
  if (protocolVersion === undefined)
    throw new Error(
      `it answers in revision ${JSON.stringify(result['protocolVersion'])} of MCP, which is not known here`,
    );
  if (!isJsonObject(capabilities) || !isJsonObject(serverInfo))
    throw new Error('its answer to initialize does not say what it can do, or what it is');
  await lane.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return {
    isModern: false,
    protocolVersion,
    capabilities,
    serverInfo,
    ...(typeof instructions === 'string' ? { instructions } : {}),
  };
}

/** No answer to a call, by which one would know that another handshake changes nothing. */
function refusal(error: RemoteError): Error {
  return new Error(`it refuses the handshake: ${error.message}`, { cause: error });
}
