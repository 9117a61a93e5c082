import type { InternalSignalbox } from '../../src/signalbox/internal-signalbox.ts';
import { openSignalbox } from '../../src/signalbox/create-signalbox.ts';
import type { TestContext } from 'node:test';
import { type SignalboxOptions } from '../../src/index.ts';
import type { ServerOptions } from '../../src/server/server-options.ts';
import { startServer } from '../../src/server/start-server.ts';

/** The admin token of test servers. */
export const token = 'test-admin-token-91d3';

/** A running server with its box, closed when the test ends. */
export interface Serving {
  readonly box: InternalSignalbox;
  readonly url: URL;
  /** The lines of the log, which has only internal errors. */
  readonly logged: string[];
}

/** Starts a server with a new box. */
export async function serving(
  t: TestContext,
  options: SignalboxOptions,
  server: Partial<ServerOptions> = {},
): Promise<Serving> {
  const box = await openSignalbox(options);
  const logged: string[] = [];
  const log = (line: string): void => void logged.push(line);
  const running = await startServer({
    box,
    host: '127.0.0.1',
    port: 0,
    token,
    log,
    limits: { graceMs: 200 },
    ...server,
  });
  t.after(async () => {
    await running.close();
    await box.close({ graceMs: 200 });
  });
  return { box, url: new URL(`${running.url}/mcp`), logged };
}

/** Two servers that share only a store. */
interface TwoServers {
  readonly box: InternalSignalbox;
  readonly one: URL;
  readonly other: URL;
  /** Stops the first server, like the end of its process. */
  endOne(): Promise<void>;
}

/** Starts two servers for one box. Neither has the sessions, streams and requests of the other. */
export async function twoServers(t: TestContext, options: SignalboxOptions): Promise<TwoServers> {
  const { box, url: other } = await serving(t, options);
  const first = await startServer({ box, host: '127.0.0.1', port: 0, token, limits: { graceMs: 0 } });
  let ended: Promise<void> | undefined;
  const endOne = (): Promise<void> => (ended ??= first.close());
  t.after(endOne);
  return { box, one: new URL(`${first.url}/mcp`), other, endOne };
}
