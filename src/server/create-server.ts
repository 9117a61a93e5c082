import { randomBytes } from 'node:crypto';
import type { Schedules } from '../sessions/schedules/schedules.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { internalsOf } from '../signalbox/internal-signalbox.ts';
import type { Signalbox } from '../signalbox/signalbox.ts';
import type { RunningServer, ServerLimits } from './server-options.ts';
import { startServer } from './start-server.ts';

/** Options of `createServer`. Everything has a default. */
export interface CreateServerOptions {
  /** The address to bind (127.0.0.1). */
  readonly host?: string;
  /** The port (4242). The next free one is taken when it is in use; 0 takes any free one. */
  readonly port?: number;
  /** The admin token: a random one unless given. */
  readonly token?: string;
  /** The sessions to serve, from `createSessions`. The server does not close them. */
  readonly sessions?: Sessions;
  /** The schedules to serve, from `createSchedules`. The server does not close them. */
  readonly schedules?: Schedules;
  /** Other values of `Host` to accept, such as `signalbox.example:443` behind a proxy. */
  readonly allowedHosts?: readonly string[];
  readonly limits?: ServerLimits;
  /** Receives a line for each fault: standard error unless given. */
  readonly log?: (line: string) => void;
}

/** A server that was started from code. */
export interface SignalboxServer extends RunningServer {
  /** The admin token. */
  readonly token: string;
}

/** Serves a box over HTTP: the API, the MCP endpoint at `/mcp` and, if it is built, the console. The box stays open when the server closes. */
export async function createServer(box: Signalbox, options: CreateServerOptions = {}): Promise<SignalboxServer> {
  const { host = '127.0.0.1', port = 4242, token = randomBytes(32).toString('base64url'), ...rest } = options;
  const server = await startServer({ ...rest, box: internalsOf(box), host, port, token });
  return { ...server, token };
}
