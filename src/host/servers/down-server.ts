import type { Source } from '../../catalog/source/source.ts';

/** Creates the source of a server that could not be started, so that the catalog shows it with the reason. */
export function downServer(server: string, adapter: string, reason: string): Source {
  const state = { tools: [], down: { reason, since: Date.now() } };
  return {
    server,
    adapter,
    limits: {},
    state: () => state,
    subscribe: () => () => undefined,
    close: () => Promise.resolve(),
  };
}
