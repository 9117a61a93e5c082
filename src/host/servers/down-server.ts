import type { Source } from '../../catalog/source/source.ts';

/** Stands in the catalog for a server that could not be started, so that people see it and the reason. */
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
