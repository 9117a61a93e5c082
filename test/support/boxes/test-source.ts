import type { Source, SourceState, SourceTool } from '../../../src/catalog/source/source.ts';

/** A test source with a configurable state. */
export interface TestSource extends Source {
  change(state: Partial<SourceState> & { readonly up?: true }): void;
}

/** Creates a source with these tools. */
export function testSource(server: string, tools: readonly SourceTool[] = [], adapter = `test:${server}`): TestSource {
  const listeners = new Set<() => void>();
  let state: SourceState = { tools };
  return {
    server,
    adapter,
    limits: {},
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {},
    change({ up, ...next }) {
      state = up === true ? { tools: next.tools ?? state.tools } : { ...state, ...next };
      for (const listener of listeners) listener();
    },
  };
}

/** Creates a tool that is identified by its name, with the given properties. */
export function testTool(name: string, more: Partial<SourceTool> = {}): SourceTool {
  return {
    tool: name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } } },
    annotations: {},
    effect: 'read',
    idempotent: false,
    labels: [],
    notices: [],
    parse: (args) => ({ ok: true, value: args }),
    run: () => null,
    ...more,
  };
}
