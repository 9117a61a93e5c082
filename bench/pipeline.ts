/**
 * Measures the cost of the pipeline: a call with validation, policy, hash chain and journal on disk, compared with a plain
 * function and with the MCP SDK's in-memory transport, which have none of these. Also measures whether the cost stays constant as
 * the catalog and the journal grow.
 *
 *   npm run bench -- pipeline
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import {
  type AnyTool,
  type Signalbox,
  type SignalboxOptions,
  createSignalbox,
  defineTool,
  localServer,
  sqliteStore,
} from '../src/index.ts';
import { type Subject, measure, printTable } from './support/measure.ts';

const rounds = 7;
const input = z.object({ a: z.number(), b: z.number() });
const run = ({ a, b }: { a: number; b: number }): string => String(a + b);
const directories: string[] = [];

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  directories.push(made);
  return made;
}

async function sdkPair(): Promise<Client> {
  const server = new McpServer({ name: 'bench', version: '1' });
  server.registerTool('add', { description: 'Adds.', inputSchema: input }, async (args) => ({
    content: [{ type: 'text', text: run(args) }],
  }));
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'bench', version: '1' });
  await Promise.all([server.connect(far), client.connect(near)]);
  return client;
}

function adding(effect: 'read' | 'irreversible', name = 'add'): AnyTool {
  return defineTool({ name, description: 'Adds.', input, effect, run: async (args) => run(args) });
}

async function box(tools: readonly AnyTool[], options: SignalboxOptions = {}): Promise<Signalbox> {
  return createSignalbox({ data: directory(), servers: [localServer({ name: 'bench', tools })], ...options });
}

function calling(name: string, subject: Signalbox, calls: number, tool = 'mcp__bench__add'): Subject {
  return { name, calls, run: (index) => subject.call(tool, { a: index, b: 1 }) };
}

async function compare(): Promise<void> {
  const client = await sdkPair();
  const reading = await box([adding('read')]);
  const writing = await box([adding('irreversible')], { policies: [{ id: 'go', allow: true }] });
  const asking = await box([adding('irreversible')], { approve: () => ({ allow: true }) });
  const plain = async (args: { a: number; b: number }): Promise<string> => run(args);
  for (const concurrency of [1, 64]) {
    const subjects: Subject[] = [
      { name: 'bare function', calls: 20_000, run: (index) => plain({ a: index, b: 1 }) },
      {
        name: 'SDK v2 in-memory pair',
        calls: 10_000,
        run: (index) => client.callTool({ name: 'add', arguments: { a: index, b: 1 } }),
      },
      calling('Signalbox, read', reading, 10_000),
      calling(
        'Signalbox, effect that a rule allows (intent flushed to disk)',
        writing,
        concurrency === 1 ? 1_000 : 10_000,
      ),
      calling('Signalbox, effect that asks, answered at once (both flushed)', asking, concurrency === 1 ? 500 : 2_000),
    ];
    printTable(
      `One call, concurrency ${concurrency}`,
      await measure(subjects, { concurrency, rounds }),
      'SDK v2 in-memory pair',
    );
  }
  await Promise.all([client.close(), reading.close(), writing.close(), asking.close()]);
}

async function growingCatalog(): Promise<void> {
  const boxes: [number, Signalbox][] = [];
  for (const size of [10, 1_000, 10_000])
    boxes.push([size, await box(Array.from({ length: size }, (_, index) => adding('read', `add_${index}`)))]);
  const subjects = boxes.map(([size, subject]) =>
    calling(`${size.toLocaleString('en')} tools`, subject, 10_000, `mcp__bench__add_${size - 1}`),
  );
  printTable(
    'A read, by tools in the catalog (concurrency 1)',
    await measure(subjects, { concurrency: 1, rounds }),
    '10 tools',
  );
  await Promise.all(boxes.map(([, subject]) => subject.close()));
}

async function growingJournal(): Promise<void> {
  const full = directory();
  await fill(join(full, 'signalbox.db'), 1_000_000);
  const [fresh, grown] = [await box([adding('read')]), await box([adding('read')], { data: full })];
  const subjects = [calling('empty journal', fresh, 10_000), calling('1,000,000 entries', grown, 10_000)];
  for (const concurrency of [1, 64]) {
    printTable(
      `A read, by entries in the journal (concurrency ${concurrency})`,
      await measure(subjects, { concurrency, rounds }),
      'empty journal',
    );
  }
  await Promise.all([fresh.close(), grown.close()]);
}

async function fill(file: string, entries: number): Promise<void> {
  const store = sqliteStore({ file });
  const body = JSON.stringify({
    principal: { id: 'local', kind: 'agent' },
    arguments: { a: 1, b: 1 },
    durationMs: 0.02,
    output: '2',
    filler: 'x'.repeat(300),
  });
  for (let written = 0; written < entries; written += 1_000) {
    await store.append(
      Array.from({ length: 1_000 }, (_, index) => ({
        type: 'ToolInvoked' as const,
        at: Date.now(),
        call: `call_${written + index}`,
        session: `session_${written % 97}`,
        tool: 'mcp__bench__add',
        outcome: 'completed' as const,
        body,
      })),
    );
  }
  await store.close();
}

try {
  await compare();
  await growingCatalog();
  await growingJournal();
} finally {
  for (const made of directories) rmSync(made, { recursive: true, force: true });
}
