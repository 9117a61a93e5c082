import type { PriorDiscovery } from '@modelcontextprotocol/client';
import { messageOf } from '../../../core/errors.ts';
import { raceAbort } from '../../../core/async/light-abort-signal.ts';
import { ConnectionLostError, RemoteError, ServerCrashedError } from './connection-errors.ts';
import type { InitializeResult, ConnectionOptions, LoadPriorDiscovery, ServerLink } from './server-link.ts';
import { ServerRequests } from '../server-messages/server-requests.ts';
import { settlesWithin } from './settles-within.ts';
import { createStdioLink } from '../stdio/stdio-link.ts';
import type { McpTransport } from './mcp-transport.ts';
import { freshDiscovery, protocolVersionKey } from './protocol-version-cache.ts';

/** A link after the handshake. */
export interface ConnectedServer {
  readonly link: ServerLink;
  readonly initializeResult: InitializeResult;
  readonly requests: ServerRequests;
}

/** Connects with the newest protocol version that both sides support. A server that does not understand the probe gets the older handshake. */
export async function connect(options: ConnectionOptions): Promise<ConnectedServer> {
  const { transport } = options;
  let open = (): ServerLink => createStdioLink(options, transport as McpTransport & { type: 'stdio' });
  if (transport.type !== 'stdio') {
    // The SDK is loaded with the first server on the network.
    const { createHttpLink } = await import('../http/http-link.ts');
    open = () => createHttpLink(options, transport);
  }
  const link = open();
  try {
    return await negotiate(link, open, options);
  } catch (error) {
    throw link.explain(error);
  }
}

async function negotiate(
  link: ServerLink,
  open: () => ServerLink,
  options: ConnectionOptions,
): Promise<ConnectedServer> {
  const { protocolVersions, transport, signal } = options;
  let cached: string | undefined;
  // Computed after the program was started: it loads `node:crypto`, which takes milliseconds.
  const key = (): string => (cached ??= protocolVersionKey(transport));
  let prior: PriorDiscovery | undefined;
  const known = async (): Promise<PriorDiscovery | undefined> =>
    (prior = freshDiscovery(await protocolVersions.get(key())));
  // Cancels the attempt that lost the race.
  const race = new AbortController();
  const racing = { ...options, signal: AbortSignal.any([race.signal, ...(signal === undefined ? [] : [signal])]) };
  const legacy = async (): Promise<ConnectedServer> => {
    const connected = await attempt(open(), () => Promise.resolve({ kind: 'legacy' }), racing);
    return { ...connected, initializeResult: { ...connected.initializeResult, isGuess: true } };
  };
  const isFinal = (error: unknown): boolean => error instanceof RemoteError || link.isFinal(error);
  const fallBackToLegacy = async (error: unknown): Promise<ConnectedServer> => {
    if (signal?.aborted === true) throw error;
    if (prior !== undefined) await protocolVersions.set(key(), undefined);
    if (prior?.kind === 'legacy' || isFinal(error)) throw error;
    return await legacy();
  };
  const probing = attempt(link, known, racing);
  // `initializeProcess` probes and initializes a program on its single link.
  const isLate = !link.channel.isStdio && !(await settlesWithin(probing, options.probeAloneMs));
  const connected = await (isLate && prior === undefined
    ? firstOf(probing, legacy(), isFinal)
    : probing.catch(fallBackToLegacy));
  race.abort();
  const { discovered, isGuess = false } = connected.initializeResult;
  const at = Date.now();
  if (discovered !== undefined) await protocolVersions.set(key(), { kind: 'modern', discover: discovered, at });
  else if (prior?.kind !== 'legacy')
    await protocolVersions.set(key(), { kind: 'legacy', at, ...(isGuess ? { isGuess } : {}) });
  return connected;
}

/** Returns the handshake that succeeds first. Rejects with the more helpful error when both fail. */
async function firstOf(
  probing: Promise<ConnectedServer>,
  legacy: Promise<ConnectedServer>,
  isFinal: (error: unknown) => boolean,
): Promise<ConnectedServer> {
  try {
    return await Promise.any([probing, legacy]);
  } catch {
    return await probing.catch((error: unknown) => (isFinal(error) ? Promise.reject(error) : legacy));
  }
}

async function attempt(
  link: ServerLink,
  known: LoadPriorDiscovery,
  { answering, signal = new AbortController().signal }: ConnectionOptions,
): Promise<ConnectedServer> {
  const { channel } = link;
  // Before the handshake, since a server may send requests as soon as the handshake completes.
  const requests = new ServerRequests(answering, channel);
  channel.handleServerMessage = (message, stream) => requests.handle(message, stream);
  try {
    return { link, requests, initializeResult: await raceAbort(() => link.initialize(known), signal) };
  } catch (error) {
    const closeReason = link.reason();
    await channel.close().catch(() => undefined);
    const refused = link.refusal();
    if (refused !== undefined) throw refused;
    const isInError = closeReason === messageOf(error) && !(error instanceof ConnectionLostError);
    if (closeReason === undefined || isInError) throw error;
    throw new ServerCrashedError(closeReason, { cause: error });
  }
}
