import { messageOf } from '../../model/errors.ts';
import type { RunningServer } from '../serve/running-servers.ts';

/** How a server is doing, as it says itself. */
export interface ServerStatus extends RunningServer {
  /** `silent`: it runs, but does not answer. */
  readonly status: 'ok' | 'stopping' | 'unavailable' | 'silent';
  /** Why it does not answer, or what is not ready. */
  readonly problem?: string;
  readonly tools?: number;
  /** The servers behind it. */
  readonly servers?: readonly Behind[];
}

/** A server behind a server. */
export interface Behind {
  readonly name: string;
  readonly status: 'up' | 'starting' | 'down' | 'disabled';
  readonly reason?: string;
}

/** A server as the catalog has it. */
interface Listed extends Omit<Behind, 'status'> {
  readonly status: 'up' | 'down' | 'disabled';
  readonly connecting?: true;
}

const patienceMs = 3000;

interface Health {
  readonly status: 'ok' | 'stopping' | 'unavailable';
  readonly journal: string;
  readonly servers: string;
  readonly starting: number;
}

const states: ReadonlySet<string> = new Set<Health['status']>(['ok', 'stopping', 'unavailable']);

/** Asks a running server how it is. What needs the token is left out where there is none. */
export async function askServer(server: RunningServer, token: string | undefined): Promise<ServerStatus> {
  try {
    const { status, ...parts } = (await answerOf(`${server.url}/api/health`)) as Health;
    if (!states.has(status)) throw new Error('something else answers there');
    const missing = Object.entries(parts).flatMap(([part, state]) => (state === 'unavailable' ? [part] : []));
    const problem = missing.length === 0 ? {} : { problem: `unavailable: ${missing.join(', ')}` };
    return { ...server, status, ...problem, ...(token === undefined ? {} : await behind(server.url, token)) };
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    return { ...server, status: 'silent', problem: messageOf(cause ?? error) };
  }
}

async function behind(url: string, token: string): Promise<Pick<ServerStatus, 'tools' | 'servers'>> {
  try {
    const { items, servers } = (await answerOf(`${url}/api/tools`, token)) as { items: unknown[]; servers: Listed[] };
    return {
      tools: items.length,
      servers: servers.map(({ name, status, reason, connecting }) => ({
        name,
        status: connecting === true ? 'starting' : status,
        ...(reason === undefined ? {} : { reason }),
      })),
    };
  } catch {
    // Another token than the one kept here: how it is doing is told all the same.
    return {};
  }
}

async function answerOf(url: string, token?: string): Promise<unknown> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(patienceMs) });
  // Whoever is not ready says so with 503.
  if (!response.ok && response.status !== 503) throw new Error(`it answers with ${response.status}`);
  return response.json();
}
