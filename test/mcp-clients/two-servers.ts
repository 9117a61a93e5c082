import type { InternalSignalbox } from '../../src/signalbox/internal-signalbox.ts';
import type { TestContext } from 'node:test';
import type { SignalboxOptions } from '../../src/index.ts';
import { startServer } from '../../src/server/start-server.ts';
import { serving, token } from './serving.ts';

/** Two servers that share a store and know nothing else of each other. */
export interface TwoServers {
  readonly box: InternalSignalbox;
  readonly one: URL;
  readonly other: URL;
  /** Ends the first one, as a process that stops. */
  endOne(): Promise<void>;
}

/** Serves a box twice: what one server holds the other does not have. */
export async function twoServers(t: TestContext, options: SignalboxOptions): Promise<TwoServers> {
  const { box, url: other } = await serving(t, options);
  const first = await startServer({ box, host: '127.0.0.1', port: 0, token, limits: { graceMs: 0 } });
  let ended: Promise<void> | undefined;
  const endOne = (): Promise<void> => (ended ??= first.close());
  t.after(endOne);
  return { box, one: new URL(`${first.url}/mcp`), other, endOne };
}
