import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type TestContext, describe, test } from 'node:test';
import * as z from 'zod';
import type { CatalogSnapshot } from '../../catalog/snapshot.ts';
import { SignalboxError } from '../../core/errors.ts';
import type { Signalbox } from '../../signalbox/signalbox.ts';
import { createSignalbox } from '../../signalbox/create-signalbox.ts';
import { defineTool } from './define-tool.ts';
import type { AnyTool } from './foreign-tools.ts';
import { type LocalServer, localServer } from './local-server.ts';

function answering(name: string, words: string): AnyTool {
  return defineTool({ name, description: `Answers ${words}.`, effect: 'read', run: () => words });
}

async function boxWith(t: TestContext, ...servers: readonly LocalServer[]): Promise<Signalbox> {
  const box = await createSignalbox({ servers, builtin: false });
  t.after(() => box.close());
  return box;
}

function names(box: Signalbox): string[] {
  return box.tools().map((tool) => tool.name);
}

async function answer(box: Signalbox, tool: string): Promise<unknown> {
  const { content, error } = await box.call(tool);
  const [block] = content;
  return error?.code ?? (block?.type === 'text' ? block.text : content);
}

describe('many local servers', () => {
  test('stand side by side, each tool under its own server, same names or not', async (t) => {
    const servers = Array.from({ length: 50 }, (_, index) =>
      localServer({ name: `domain-${index}`, tools: [answering('list', `from ${index}`)] }),
    );
    const box = await boxWith(t, ...servers);
    assert.equal(box.tools().length, 50);
    for (const index of [0, 7, 49]) assert.equal(await answer(box, `mcp__domain-${index}__list`), `from ${index}`);
  });

  test('each can be disabled and enabled as a whole', async (t) => {
    const box = await boxWith(
      t,
      localServer({ name: 'notes', tools: [answering('list', '1'), answering('add', '2')] }),
      localServer({ name: 'mail', tools: [answering('list', '3')] }),
    );
    box.servers.disable('notes');
    assert.deepEqual(names(box), ['mcp__mail__list']);
    assert.equal(await answer(box, 'mcp__notes__list'), 'tool-hidden');
    assert.equal(await answer(box, 'mcp__mail__list'), '3');
    box.servers.enable('notes');
    assert.deepEqual(names(box), ['mcp__notes__list', 'mcp__notes__add', 'mcp__mail__list']);
    assert.equal(await answer(box, 'mcp__notes__list'), '1');
  });

  test('each comes and goes while the box runs', async (t) => {
    const box = await boxWith(t, localServer({ name: 'notes', tools: [answering('list', '1')] }));
    box.servers.add(localServer({ name: 'mail', tools: [answering('list', '2')] }));
    assert.equal(await answer(box, 'mcp__mail__list'), '2');
    await box.servers.remove('notes');
    assert.deepEqual(names(box), ['mcp__mail__list']);
    assert.equal(await answer(box, 'mcp__notes__list'), 'tool-unknown');
  });
});

describe('tools while the box runs', () => {
  test('are added, replaced and removed, and every call sees the last state', async (t) => {
    const server = localServer({ name: 's', tools: [answering('a', 'old')] });
    const box = await boxWith(t, server);
    server.add(answering('b', 'new'));
    assert.deepEqual(names(box), ['mcp__s__a', 'mcp__s__b']);
    assert.equal(await answer(box, 'mcp__s__b'), 'new');
    server.replace(answering('a', 'other'));
    assert.deepEqual(names(box), ['mcp__s__a', 'mcp__s__b'], 'it keeps its place');
    assert.equal(await answer(box, 'mcp__s__a'), 'other');
    assert.equal(server.remove('a'), true);
    assert.equal(server.remove('a'), false);
    assert.deepEqual(names(box), ['mcp__s__b']);
    assert.equal(await answer(box, 'mcp__s__a'), 'tool-unknown');
    server.replace(answering('c', 'first'));
    assert.equal(await answer(box, 'mcp__s__c'), 'first', 'replacing what is not there adds it');
  });

  test('tell of their change by CatalogChanged, once for changes made together', async (t) => {
    const server = localServer({ name: 's', tools: [answering('a', '1')] });
    const box = await boxWith(t, server);
    await pause(1);
    const told: CatalogSnapshot[] = [];
    const stop = box.on('CatalogChanged', (snapshot) => told.push(snapshot));
    server.add(answering('b', '2'));
    server.replace(answering('a', '3'));
    await pause(1);
    assert.deepEqual(
      told.map(({ tools }) => tools.map(({ description }) => description)),
      [['Answers 3.', 'Answers 2.']],
    );
    server.remove('a');
    await pause(1);
    assert.equal(told.length, 2);
    stop();
    server.remove('b');
    await pause(1);
    assert.equal(told.length, 2);
  });

  test('replaced by one with another definition make calls stale that saw the old one', async (t) => {
    const server = localServer({ name: 's', tools: [answering('a', 'old')] });
    const box = await boxWith(t, server);
    const seen = box.tools()[0]?.definitionHash ?? '';
    assert.equal((await box.call('mcp__s__a', {}, { definitionHash: seen })).outcome, 'completed');
    server.replace(answering('a', 'new'));
    assert.equal((await box.call('mcp__s__a', {}, { definitionHash: seen })).outcome, 'stale');
    server.remove('a');
    assert.equal((await box.call('mcp__s__a', {}, { definitionHash: seen })).outcome, 'stale');
  });

  test('a name that is taken is refused, and the tool that has it stays', async (t) => {
    const server = localServer({ name: 's', tools: [answering('a', 'old')] });
    const box = await boxWith(t, server);
    assert.throws(
      () => server.add(answering('a', 'new')),
      (error) =>
        error instanceof SignalboxError &&
        error.code === 'name-collision' &&
        /server "s" has a tool named "a" already/.test(error.message),
    );
    assert.throws(
      () => localServer({ name: 's', tools: [answering('a', '1'), answering('a', '2')] }),
      /server "s" has a tool named "a" already/,
    );
    assert.equal(await answer(box, 'mcp__s__a'), 'old');
  });

  test('one that cannot be used is refused, and nothing changes', async (t) => {
    const server = localServer({ name: 's', tools: [answering('a', 'old')] });
    const box = await boxWith(t, server);
    const { version } = box.catalog();
    const bad = { name: 'a', description: 'x', input: z.object({ at: z.date() }), run: () => null };
    assert.throws(() => server.add(bad), /has no form in JSON Schema/);
    assert.throws(() => server.replace(bad), /has no form in JSON Schema/);
    assert.equal(box.catalog().version, version);
    assert.equal(await answer(box, 'mcp__s__a'), 'old');
  });

  test('one whose name renders like another’s hides both, and says so', async (t) => {
    const server = localServer({ name: 's', tools: [answering('a.b', '1'), answering('c', '2')] });
    const box = await boxWith(t, server);
    server.add(answering('a_b', '3'));
    assert.equal(await answer(box, 'mcp__s__a_b'), 'tool-hidden');
    assert.equal(await answer(box, 'mcp__s__c'), '2');
    server.remove('a.b');
    assert.equal(await answer(box, 'mcp__s__a_b'), '3');
  });
});

describe('a call under way', () => {
  test('on a tool that is replaced or removed ends with the old one', async (t) => {
    for (const change of ['replace', 'remove'] as const) {
      const { promise: gate, resolve: open } = Promise.withResolvers<void>();
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      const slow = defineTool({
        name: 'slow',
        description: 'Waits.',
        effect: 'read',
        run: async () => {
          begin();
          await gate;
          return 'old';
        },
      });
      const server = localServer({ name: 's', tools: [slow] });
      const box = await boxWith(t, server);
      const underWay = answer(box, 'mcp__s__slow');
      await begun;
      if (change === 'replace') server.replace(answering('slow', 'new'));
      else server.remove('slow');
      assert.equal(await answer(box, 'mcp__s__slow'), change === 'replace' ? 'new' : 'tool-unknown');
      open();
      assert.equal(await underWay, 'old');
    }
  });

  test('in a worker of a tool that is replaced ends with the old one', async (t) => {
    const worker = (result: string): AnyTool =>
      defineTool({
        name: 'busy',
        description: `Works for ${result}.`,
        effect: 'read',
        isolate: true,
        input: { type: 'object', properties: { result: { type: 'string' } } },
        run: async ({ result: given }) => {
          const { setTimeout: wait } = await import('node:timers/promises');
          await wait(300);
          return given;
        },
      });
    const server = localServer({ name: 's', tools: [worker('old')] });
    const box = await boxWith(t, server);
    const underWay = box.call('mcp__s__busy', { result: 'old' });
    await pause(100);
    server.replace(worker('new'));
    assert.deepEqual((await underWay).content, [{ type: 'text', text: 'old' }]);
    assert.deepEqual((await box.call('mcp__s__busy', { result: 'new' })).content, [{ type: 'text', text: 'new' }]);
  });
});

describe('the server itself', () => {
  test('is the same list of tools until one changes', () => {
    const server = localServer({ name: 's', tools: [answering('a', '1')] });
    assert.equal(server.state().tools, server.state().tools);
    const { tools } = server.state();
    server.add(answering('b', '2'));
    assert.notEqual(server.state().tools, tools);
    assert.equal(server.state().tools[0], tools[0], 'a tool that did not change is the same object');
  });

  test('says its name, its adapter and its limits', () => {
    const { server, adapter, limits } = localServer({ name: 'notes', timeoutMs: 5, concurrency: 2 });
    assert.deepEqual(
      { server, adapter, limits },
      { server: 'notes', adapter: 'local:notes', limits: { timeoutMs: 5, concurrency: 2 } },
    );
    assert.deepEqual(localServer({ name: 'plain' }).limits, {});
  });

  test('refuses a name that could not be read back from a tool’s', () => {
    assert.throws(
      () => localServer({ name: 'a__b' }),
      (error) => error instanceof SignalboxError && error.code === 'name-invalid',
    );
  });
});
