import assert from 'node:assert/strict';
import { test } from 'node:test';
import { argumentLines } from '../../src/cli/commands/approvals/argument-lines.ts';
import { createSignalbox, defineTool, localServer } from '../../src/index.ts';
import type { PolicySource } from '../../src/index.ts';

const seen: unknown[] = [];
const read = defineTool({
  name: 'rd',
  description: 'Reads.',
  input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  effect: 'read',
  run: (args) => void seen.push((args as { path: string }).path),
});
const servers = (): [ReturnType<typeof localServer>] => [localServer({ name: 'f', tools: [read] })];

test('a read runs with the arguments that policy decided on, even if a getter changes its value', async (t) => {
  const box = await createSignalbox({
    servers: servers(),
    policies: [{ id: 'no', match: 'mcp__f__rd', deny: "args.path == '/etc/shadow'" }],
  });
  t.after(() => box.close());
  seen.length = 0;
  for (let harmless = 0; harmless < 14; harmless += 1) {
    let reads = 0;
    const args = {
      get path() {
        reads += 1;
        return reads <= harmless ? '/ok' : '/etc/shadow';
      },
    };
    await box.call('mcp__f__rd', args);
  }
  assert.ok(seen.length > 0);
  assert.ok(!seen.includes('/etc/shadow'), JSON.stringify(seen));
});

test('a read runs with the arguments that policy decided on, even if the caller mutates them during a policy check', async (t) => {
  const slow: PolicySource = {
    name: 'slow',
    async check({ arguments: args }) {
      if (args['path'] !== '/ok') return { answer: 'deny', reason: 'no' };
      await new Promise((resolve) => setTimeout(resolve, 50));
      return undefined;
    },
  };
  const box = await createSignalbox({ servers: servers(), policies: [slow] });
  t.after(() => box.close());
  seen.length = 0;
  const args = { path: '/ok' };
  const call = box.call('mcp__f__rd', args);
  setTimeout(() => (args.path = '/etc/shadow'), 10);
  assert.equal((await call).outcome, 'completed');
  assert.deepEqual(seen, ['/ok']);
});

test('whitespace that looks like a space is escaped in arguments on a terminal', () => {
  const [text = ''] = argumentLines({ a: 'x\u00a0y\u2003z\u3000 w' }, []);
  assert.ok(text.includes(String.raw`x\u00a0y\u2003z\u3000 w`), text);
});
