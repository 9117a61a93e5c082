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

/** Creates a tool that returns this text. */
function toolReturning(name: string, text: string): AnyTool {
  return defineTool({ name, description: `Returns ${text}.`, effect: 'read', run: () => text });
}

async function boxWith(t: TestContext, ...servers: readonly LocalServer[]): Promise<Signalbox> {
  const box = await createSignalbox({ servers, builtin: false });
  t.after(() => box.close());
  return box;
}

function names(box: Signalbox): string[] {
  return box.tools().map((tool) => tool.name);
}

/** Calls a tool. Returns its text, or the code of its error. */
async function resultOf(box: Signalbox, tool: string): Promise<unknown> {
  const { content, error } = await box.call(tool);
  const [block] = content;
  return error?.code ?? (block?.type === 'text' ? block.text : content);
}

describe('several local servers', () => {
  test('can have tools of the same name', async (t) => {
    const servers = Array.from({ length: 50 }, (_, index) =>
      localServer({ name: `domain-${index}`, tools: [toolReturning('list', `from ${index}`)] }),
    );
    const box = await boxWith(t, ...servers);
    assert.equal(box.tools().length, 50);
    for (const index of [0, 7, 49]) assert.equal(await resultOf(box, `mcp__domain-${index}__list`), `from ${index}`);
  });

  test('can be disabled and enabled as a whole', async (t) => {
    const box = await boxWith(
      t,
      localServer({ name: 'notes', tools: [toolReturning('list', '1'), toolReturning('add', '2')] }),
      localServer({ name: 'mail', tools: [toolReturning('list', '3')] }),
    );
    box.servers.disable('notes');
    assert.deepEqual(names(box), ['mcp__mail__list']);
    assert.equal(await resultOf(box, 'mcp__notes__list'), 'tool-hidden');
    assert.equal(await resultOf(box, 'mcp__mail__list'), '3');
    box.servers.enable('notes');
    assert.deepEqual(names(box), ['mcp__notes__list', 'mcp__notes__add', 'mcp__mail__list']);
    assert.equal(await resultOf(box, 'mcp__notes__list'), '1');
  });

  test('can be added and removed at runtime', async (t) => {
    const box = await boxWith(t, localServer({ name: 'notes', tools: [toolReturning('list', '1')] }));
    box.servers.add(localServer({ name: 'mail', tools: [toolReturning('list', '2')] }));
    assert.equal(await resultOf(box, 'mcp__mail__list'), '2');
    await box.servers.remove('notes');
    assert.deepEqual(names(box), ['mcp__mail__list']);
    assert.equal(await resultOf(box, 'mcp__notes__list'), 'tool-unknown');
  });
});

describe('tools of a local server', () => {
  test('can be added, replaced and removed at runtime, effective for the next call', async (t) => {
    const server = localServer({ name: 's', tools: [toolReturning('a', 'old')] });
    const box = await boxWith(t, server);
    server.add(toolReturning('b', 'new'));
    assert.deepEqual(names(box), ['mcp__s__a', 'mcp__s__b']);
    assert.equal(await resultOf(box, 'mcp__s__b'), 'new');
    server.replace(toolReturning('a', 'other'));
    assert.deepEqual(names(box), ['mcp__s__a', 'mcp__s__b'], 'the tool keeps its position');
    assert.equal(await resultOf(box, 'mcp__s__a'), 'other');
    assert.equal(server.remove('a'), true);
    assert.equal(server.remove('a'), false);
    assert.deepEqual(names(box), ['mcp__s__b']);
    assert.equal(await resultOf(box, 'mcp__s__a'), 'tool-unknown');
    server.replace(toolReturning('c', 'first'));
    assert.equal(await resultOf(box, 'mcp__s__c'), 'first', 'replacing an unknown tool adds it');
  });

  test('emit CatalogChanged once for simultaneous changes', async (t) => {
    const server = localServer({ name: 's', tools: [toolReturning('a', '1')] });
    const box = await boxWith(t, server);
    await pause(1);
    const snapshots: CatalogSnapshot[] = [];
    const stop = box.on('CatalogChanged', (snapshot) => snapshots.push(snapshot));
    server.add(toolReturning('b', '2'));
    server.replace(toolReturning('a', '3'));
    await pause(1);
    assert.deepEqual(
      snapshots.map(({ tools }) => tools.map(({ description }) => description)),
      [['Returns 3.', 'Returns 2.']],
    );
    server.remove('a');
    await pause(1);
    assert.equal(snapshots.length, 2);
    stop();
    server.remove('b');
    await pause(1);
    assert.equal(snapshots.length, 2);
  });

  test('make calls stale that are bound to a replaced definition', async (t) => {
    const server = localServer({ name: 's', tools: [toolReturning('a', 'old')] });
    const box = await boxWith(t, server);
    const seen = box.tools()[0]?.definitionHash ?? '';
    assert.equal((await box.call('mcp__s__a', {}, { definitionHash: seen })).outcome, 'completed');
    server.replace(toolReturning('a', 'new'));
    assert.equal((await box.call('mcp__s__a', {}, { definitionHash: seen })).outcome, 'stale');
    server.remove('a');
    assert.equal((await box.call('mcp__s__a', {}, { definitionHash: seen })).outcome, 'stale');
  });

  test('reject a name that is taken, and keep the existing tool', async (t) => {
    const server = localServer({ name: 's', tools: [toolReturning('a', 'old')] });
    const box = await boxWith(t, server);
    assert.throws(
      () => server.add(toolReturning('a', 'new')),
      (error) =>
        error instanceof SignalboxError &&
        error.code === 'name-collision' &&
        /server "s" has a tool named "a" already/.test(error.message),
    );
    assert.throws(
      () => localServer({ name: 's', tools: [toolReturning('a', '1'), toolReturning('a', '2')] }),
      /server "s" has a tool named "a" already/,
    );
    assert.equal(await resultOf(box, 'mcp__s__a'), 'old');
  });

  test('reject an invalid tool without a change', async (t) => {
    const server = localServer({ name: 's', tools: [toolReturning('a', 'old')] });
    const box = await boxWith(t, server);
    const { version } = box.catalog();
    const bad = { name: 'a', description: 'x', input: z.object({ at: z.date() }), run: () => null };
    assert.throws(() => server.add(bad), /cannot be converted to JSON Schema/);
    assert.throws(() => server.replace(bad), /cannot be converted to JSON Schema/);
    assert.equal(box.catalog().version, version);
    assert.equal(await resultOf(box, 'mcp__s__a'), 'old');
  });

  test('are hidden when their rendered names are equal', async (t) => {
    const server = localServer({ name: 's', tools: [toolReturning('a.b', '1'), toolReturning('c', '2')] });
    const box = await boxWith(t, server);
    server.add(toolReturning('a_b', '3'));
    assert.equal(await resultOf(box, 'mcp__s__a_b'), 'tool-hidden');
    assert.equal(await resultOf(box, 'mcp__s__c'), '2');
    server.remove('a.b');
    assert.equal(await resultOf(box, 'mcp__s__a_b'), '3');
  });
});

describe('a running call of a local server', () => {
  test('finishes with the old tool when it is replaced or removed', async (t) => {
    for (const change of ['replace', 'remove'] as const) {
      const { promise: gate, resolve: open } = Promise.withResolvers<void>();
      const { promise: started, resolve: start } = Promise.withResolvers<void>();
      const slow = defineTool({
        name: 'slow',
        description: 'Waits.',
        effect: 'read',
        run: async () => {
          start();
          await gate;
          return 'old';
        },
      });
      const server = localServer({ name: 's', tools: [slow] });
      const box = await boxWith(t, server);
      const running = resultOf(box, 'mcp__s__slow');
      await started;
      if (change === 'replace') server.replace(toolReturning('slow', 'new'));
      else server.remove('slow');
      assert.equal(await resultOf(box, 'mcp__s__slow'), change === 'replace' ? 'new' : 'tool-unknown');
      open();
      assert.equal(await running, 'old');
    }
  });

  test('in a worker finishes with the old tool when it is replaced', async (t) => {
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
    const running = box.call('mcp__s__busy', { result: 'old' });
    await pause(100);
    server.replace(worker('new'));
    assert.deepEqual((await running).content, [{ type: 'text', text: 'old' }]);
    assert.deepEqual((await box.call('mcp__s__busy', { result: 'new' })).content, [{ type: 'text', text: 'new' }]);
  });
});

describe('localServer', () => {
  test('returns the same array of tools until one changes', () => {
    const server = localServer({ name: 's', tools: [toolReturning('a', '1')] });
    assert.equal(server.state().tools, server.state().tools);
    const { tools } = server.state();
    server.add(toolReturning('b', '2'));
    assert.notEqual(server.state().tools, tools);
    assert.equal(server.state().tools[0], tools[0], 'a tool that did not change is the same object');
  });

  test('has name, adapter and limits', () => {
    const { server, adapter, limits } = localServer({ name: 'notes', timeoutMs: 5, concurrency: 2 });
    assert.deepEqual(
      { server, adapter, limits },
      { server: 'notes', adapter: 'local:notes', limits: { timeoutMs: 5, concurrency: 2 } },
    );
    assert.deepEqual(localServer({ name: 'plain' }).limits, {});
  });

  test('rejects a name that cannot be parsed back from a tool name', () => {
    assert.throws(
      () => localServer({ name: 'a__b' }),
      (error) => error instanceof SignalboxError && error.code === 'name-invalid',
    );
  });
});
