import type { InternalSignalbox } from '../../src/signalbox/internal-signalbox.ts';
import type { TestContext } from 'node:test';
import type { SignalboxOptions } from '../../src/index.ts';
import { startServer } from '../../src/server/start-server.ts';
import { serving, token } from './serving.ts';

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
