import { once } from 'node:events';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { json } from 'node:stream/consumers';
import { inspect } from 'node:util';

/** The scenario that the suite passes to the client that it starts. */
export interface Scenario {
  readonly url: string;
  readonly name: string;
  readonly context: Readonly<Record<string, unknown>>;
}

/** The result of a scenario, which the client prints. */
export interface ScenarioResult {
  readonly output: string;
  readonly failed: boolean;
}

/**
 * Runs the scenarios of clients that connect, a few at a time. The suite starts all of them at once, which would make each too slow
 * on a small machine.
 */
export async function startPlayers(
  maxConcurrency: number,
  play: (scenario: Scenario) => Promise<string>,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const waiting: Socket[] = [];
  let playing = 0;
  const next = async (): Promise<void> => {
    const socket = playing < maxConcurrency ? waiting.shift() : undefined;
    if (socket === undefined) return;
    playing += 1;
    socket.end(JSON.stringify(await playOn(socket, play)));
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

async function playOn(socket: Socket, play: (scenario: Scenario) => Promise<string>): Promise<ScenarioResult> {
  try {
    return { output: await play((await json(socket)) as Scenario), failed: false };
  } catch (error) {
    return { output: inspect(error), failed: true };
  }
}
