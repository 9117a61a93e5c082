import { messageOf } from '../../core/errors.ts';
import type { RunFile } from '../../host/daemon/run-files.ts';
import { fetchCatalog } from './remote-catalog.ts';
import { ServerClient } from './server-client.ts';

/** The status that a running server reports. */
export interface RunningServerStatus extends Omit<RunFile, 'key'> {
  /** `silent`: it runs, but does not answer. */
  readonly status: 'ok' | 'stopping' | 'unavailable' | 'silent';
  /** The reason why it does not answer, or the parts that are unavailable. */
  readonly problem?: string;
  readonly tools?: number;
  /** The number of pending elicitations in its sessions. */
  readonly questions?: number;
  /** The reasons why it rejected a changed configuration. */
  readonly refused?: readonly string[] | undefined;
  /** The servers behind it. */
  readonly servers?: readonly UpstreamStatus[];
}

/** A server behind a Signalbox server. */
export interface UpstreamStatus {
  readonly name: string;
  readonly status: 'up' | 'starting' | 'down' | 'disabled';
  readonly reason?: string | undefined;
}

const requestTimeoutMs = 10_000;

interface Health {
  readonly status: 'ok' | 'stopping' | 'unavailable';
  readonly journal: string;
  readonly servers: string;
  readonly starting: number;
}

const states: ReadonlySet<string> = new Set<Health['status']>(['ok', 'stopping', 'unavailable']);

/** Returns the status of a running server. Details that need the key are left out without one. */
export async function fetchRunningServerStatus({ key, ...server }: RunFile): Promise<RunningServerStatus> {
  try {
    const { status, ...parts } = await healthOf(server.url);
    if (!states.has(status)) throw new Error('another program answers at this address');
    const missing = Object.entries(parts).flatMap(([part, state]) => (state === 'unavailable' ? [part] : []));
    const problem = missing.length === 0 ? {} : { problem: `unavailable: ${missing.join(', ')}` };
    const isAsked = key !== undefined && server.role !== 'worker';
    return { ...server, status, ...problem, ...(isAsked ? await detailsOf(new ServerClient(server.url, key)) : {}) };
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    return { ...server, status: 'silent', problem: messageOf(cause ?? error) };
  }
}

async function detailsOf(
  client: ServerClient,
): Promise<Pick<RunningServerStatus, 'tools' | 'questions' | 'servers' | 'configuration' | 'refused'>> {
  try {
    const { configuration } = await client.request<{
      configuration?: { file: string; refused?: { details: readonly string[] } };
    }>('GET', '/api/info');
    const { tools, servers } = await fetchCatalog(client);
    const { items } = await client.request<{ items: readonly unknown[] }>('GET', '/api/elicitations');
    return {
      tools: tools.length,
      questions: items.length,
      servers: servers.map(({ name, status, reason, connecting }) => ({
        name,
        status: connecting === true ? 'starting' : status,
        reason,
      })),
      ...(configuration && { configuration: configuration.file }),
      refused: configuration?.refused?.details,
    };
  } catch {
    // The status is still reported without these details.
    return {};
  }
}

async function healthOf(url: string): Promise<Health> {
  const response = await fetch(`${url}/api/health`, {
    redirect: 'error',
    signal: AbortSignal.timeout(requestTimeoutMs),
  });
  // A server that is not ready responds with 503.
  if (!response.ok && response.status !== 503) throw new Error(`it responds with ${response.status}`);
  return (await response.json()) as Health;
}
