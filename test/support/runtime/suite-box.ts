import * as z from 'zod';
import type { Approve } from '../../../src/core/calls/approval.ts';
import type { Source } from '../../../src/catalog/source/source.ts';
import { type RuntimeTools, runtimeTools } from '../../../src/runtimes/runtime-tools.ts';
import type { InternalSignalbox } from '../../../src/signalbox/internal-signalbox.ts';
import { openSignalbox } from '../../../src/signalbox/create-signalbox.ts';
import { defineTool } from '../../../src/sources/local/define-tool.ts';
import { localServer } from '../../../src/sources/local/local-server.ts';
import { mcpServer } from '../../../src/sources/mcp/mcp-server.ts';
import { fixtureProgram } from '../../mcp-servers/programs.ts';

/** A real box with the tools of the runtime conformance tests. */
export interface SuiteBox {
  readonly box: InternalSignalbox;
  readonly own: RuntimeTools;
  /** The texts written by the tool that needs approval. */
  readonly notes: readonly string[];
  /** Answers approval requests; tests can replace it. */
  approve: Approve;
  /** Called when a call of `hang` has begun. */
  onHang: () => void;
  close(): Promise<void>;
}

export async function openSuiteBox(): Promise<SuiteBox> {
  const notes: string[] = [];
  const own = runtimeTools('runtime');
  const shaky = failingServer();
  const suite = localServer({ name: 'suite' });
  const fixture = mcpServer({ name: 'fixture', transport: fixtureProgram() });
  const reachBarrier = createBarrier();
  const tools = [
    defineTool({
      name: 'add',
      description: 'Adds two numbers.',
      input: z.object({ a: z.number(), b: z.number() }),
      effect: 'read',
      run: ({ a, b }) => `the sum is ${a + b}`,
    }),
    defineTool({
      name: 'note',
      description: 'Writes a note.',
      input: z.object({ text: z.string() }),
      effect: 'undoable',
      run: ({ text }) => {
        notes.push(text);
        return `noted ${text}`;
      },
    }),
    defineTool({
      name: 'meet',
      description: 'Ends when two calls have reached the same place.',
      input: z.object({ name: z.string(), place: z.string() }),
      effect: 'read',
      run: async ({ name, place }) => {
        await reachBarrier(place);
        return `${name} met`;
      },
    }),
    defineTool({
      name: 'boom',
      description: 'Fails.',
      input: z.object({}),
      effect: 'read',
      run: () => {
        throw new Error('the boiler is cold');
      },
    }),
    defineTool({
      name: 'hang',
      description: 'Reports progress and never ends.',
      input: z.object({}),
      effect: 'read',
      run: (_, context) => {
        context.progress({ progress: 1, total: 2, message: 'half way' });
        opened.onHang();
        return new Promise(() => undefined);
      },
    }),
    defineTool({
      name: 'grow',
      description: 'Adds a tool.',
      input: z.object({ name: z.string() }),
      effect: 'read',
      run: ({ name }) => {
        suite.add(
          defineTool({ name, description: 'A new tool.', input: z.object({}), effect: 'read', run: () => 'fresh' }),
        );
        return `added ${name}`;
      },
    }),
  ];
  for (const tool of tools) suite.add(tool);
  const opened: SuiteBox = {
    box: await openSignalbox({
      servers: [suite, shaky, fixture, own],
      approve: (request) => opened.approve(request),
    }),
    own,
    notes,
    approve: () => ({ allow: true }),
    onHang: () => undefined,
    close: () => opened.box.close({ graceMs: 0 }),
  };
  await fixture.ready();
  return opened;
}

/** Creates a barrier that blocks each call until a second one reaches the same place. */
function createBarrier(): (place: string) => Promise<void> {
  const waiting = new Map<string, () => void>();
  return (place) =>
    new Promise((resolve) => {
      const other = waiting.get(place);
      if (other === undefined) waiting.set(place, resolve);
      else {
        other();
        resolve();
      }
    });
}

/** Creates a server that goes down after its tool has run. */
function failingServer(): Source {
  let down: { readonly reason: string; readonly since: number } | undefined;
  const listeners = new Set<() => void>();
  const server = localServer({
    name: 'shaky',
    tools: [
      defineTool({
        name: 'fall',
        description: 'Takes its server down.',
        input: z.object({}),
        effect: 'read',
        run: () => {
          down = { reason: 'it fell', since: Date.now() };
          for (const listener of listeners) listener();
          return 'falling';
        },
      }),
    ],
  });
  return {
    ...server,
    state: () => (down === undefined ? server.state() : { ...server.state(), down }),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
