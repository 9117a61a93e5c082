import { once } from 'node:events';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { json } from 'node:stream/consumers';
import { inspect } from 'node:util';

/** What the suite says of a scenario to the client that it starts. */
export interface Scenario {
  readonly url: string;
  readonly name: string;
  readonly context: Readonly<Record<string, unknown>>;
}

/** How a scenario was played, for that client to repeat. */
export interface Played {
  readonly said: string;
  readonly failed: boolean;
}

/**
 * Plays the scenarios of clients that connect, a few at a time: the suite starts all at once, and on a small machine each would be
 * too slow for the others.
 */
export async function startPlayers(
  atOnce: number,
  play: (scenario: Scenario) => Promise<string>,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const waiting: Socket[] = [];
  let playing = 0;
  const next = async (): Promise<void> => {
    const socket = playing < atOnce ? waiting.shift() : undefined;
    if (socket === undefined) return;
    playing += 1;
    socket.end(JSON.stringify(await played(socket, play)));
    playing -= 1;
    await next();
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    waiting.push(socket);
    void next();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

async function played(socket: Socket, play: (scenario: Scenario) => Promise<string>): Promise<Played> {
  try {
    return { said: await play((await json(socket)) as Scenario), failed: false };
  } catch (error) {
    return { said: inspect(error), failed: true };
  }
}
