import { Client, type PriorDiscovery, SdkError, SdkErrorCode, SseError } from '@modelcontextprotocol/client';
import { messageOf } from '../../model/errors.ts';
import { unlessAborted } from '../../model/unless-aborted.ts';
import { RemoteError, ServerCrashed } from './connection-errors.ts';
import { explainFailure } from './http/explain-failure.ts';
import { httpTransport } from './http/http-transport.ts';
import { neverLeft, statusOf } from './http/loss.ts';
import { Lane, ProcessLane } from './lane.ts';
import type { RecentLines } from '../../process/recent-lines.ts';
import { type AnsweringOptions, ServerRequests, relayed } from './server-requests.ts';
import { StdioTransport } from './stdio/stdio-transport.ts';
import type { McpTransport } from './transport-options.ts';
import { type Verdicts, fresh, verdictKey } from './verdicts.ts';

/** What a connection is made with. */
export interface HandshakeOptions {
  readonly transport: McpTransport;
  /** The program of the transport, where it was started ahead: for the first attempt. */
  readonly stdio?: StdioTransport | undefined;
  readonly version: string;
  readonly verdicts: Verdicts;
  readonly lines: RecentLines;
  readonly largestMessage: number;
  readonly timeoutMs: number;
  /** Ends the attempt, and with it the process that it started. */
  readonly signal?: AbortSignal;
  /** How long a server may take to say which revision it speaks. */
  readonly probeMs: number;
  /** Who answers the server where no caller does. */
  readonly answering: AnsweringOptions;
  prepare(client: Client): void;
}

/** A client that has shaken hands, and the lane below it. */
export interface Handshake {
  readonly client: Client;
  readonly lane: Lane;
  readonly requests: ServerRequests;
}

/** Connects in the newest revision that both sides speak. A server that makes nothing of the probe gets the old handshake. */
export async function shakeHands(options: HandshakeOptions): Promise<Handshake> {
  try {
    return await shakeHandsOnce(options);
  } catch (error) {
    throw explained(error, options);
  }
}

async function shakeHandsOnce(options: HandshakeOptions): Promise<Handshake> {
  const { verdicts, transport } = options;
  const key = verdictKey(transport);
  const prior = fresh(await verdicts.get(key));
  let made: Handshake;
  try {
    made = await attempt(options, prior);
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    if (prior !== undefined) await verdicts.set(key, undefined);
    if (prior?.kind === 'legacy' || isBeyondProtocol(error)) throw error;
    made = await attempt({ ...options, stdio: undefined }, { kind: 'legacy' });
  }
  const discover = made.client.getDiscoverResult();
  if (discover !== undefined) await verdicts.set(key, { kind: 'modern', discover, at: Date.now() });
  else if (prior?.kind !== 'legacy') await verdicts.set(key, { kind: 'legacy', at: Date.now() });
  return made;
}

async function attempt(options: HandshakeOptions, prior: PriorDiscovery | undefined): Promise<Handshake> {
  const { probeMs, timeoutMs, version, signal = new AbortController().signal } = options;
  const client = new Client(
    { name: 'signalbox', version },
    { capabilities: relayed, versionNegotiation: { mode: 'auto', probe: { timeoutMs: probeMs } } },
  );
  options.prepare(client);
  const { lane, reason, refusal } = laneTo(options);
  // Before the handshake: a server may ask as soon as it is over.
  const requests = new ServerRequests(options.answering, lane);
  lane.take = (message, known) => requests.take(message, known);
  try {
    const how = { timeout: timeoutMs, ...(prior === undefined ? {} : { prior }) };
    await unlessAborted(() => client.connect(lane, how), signal);
    return { client, lane, requests };
  } catch (error) {
    const told = reason();
    await lane.close().catch(() => undefined);
    const refused = refusal();
    if (refused !== undefined) throw refused;
    if (told === undefined || told === messageOf(error)) throw error;
    throw new ServerCrashed(told, { cause: error });
  }
}

/** The error in words for the one who configured the server; ours have them already. */
function explained(error: unknown, { transport, timeoutMs }: HandshakeOptions): unknown {
  if (transport.type !== 'stdio')
    return error instanceof SdkError || error instanceof SseError || isOfSystem(error)
      ? explainFailure(error, transport.url)
      : error;
  if (!(error instanceof SdkError) || error.code !== SdkErrorCode.RequestTimeout) return error;
  const what = `the program ${JSON.stringify(transport.command)} runs, but did not answer within ${timeoutMs / 1000} s`;
  return new Error(`${what}; see whether it speaks MCP on its standard input and output`, { cause: error });
}

function isOfSystem(error: unknown): boolean {
  return error instanceof Error && ('syscall' in error || statusOf(error) !== undefined);
}

interface LaneTo {
  readonly lane: Lane;
  /** Why it closed by itself, if it did. */
  reason(): string | undefined;
  /** Why we are not let in, if we are not. */
  refusal(): Error | undefined;
}

function laneTo(options: HandshakeOptions): LaneTo {
  const { transport, lines, largestMessage } = options;
  const nothing = (): undefined => undefined;
  if (transport.type === 'stdio') {
    const stdio = options.stdio ?? new StdioTransport({ ...transport, lines, largestMessage });
    const reason = (): string | undefined => stdio.closedBecause;
    return { lane: new ProcessLane(stdio, () => reason() ?? 'its process ended'), reason, refusal: nothing };
  }
  const { transport: http, refusal } = httpTransport(transport, largestMessage);
  return { lane: new Lane(http, () => 'the connection was closed'), reason: nothing, refusal };
}

/** Whether it failed for a reason that another handshake does not change. */
function isBeyondProtocol(error: unknown): boolean {
  const status = statusOf(error);
  return neverLeft(error) || error instanceof RemoteError || wasNotStarted(error) || status === 401 || status === 403;
}

function wasNotStarted(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'syscall' in cause && String(cause.syscall).startsWith('spawn');
}
