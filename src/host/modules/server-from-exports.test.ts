import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineTool } from '../../sources/local/define-tool.ts';
import { localServer } from '../../sources/local/local-server.ts';
import { serverFromExports } from './server-from-exports.ts';

const add = defineTool({ name: 'add', description: 'Adds.', run: () => 'added' });
const list = defineTool({ name: 'list', description: 'Lists.', run: () => [] });
const aiSdk = { description: 'Of the AI SDK.', inputSchema: { type: 'object' }, execute: () => 1 };

function toolsOf(exports: Record<string, unknown>, settings: { export?: string } = {}): string[] {
  const server = serverFromExports({ name: 'notes', limits: {}, ...settings }, exports);
  assert.equal(server.server, 'notes');
  return server.state().tools.map((tool) => tool.tool);
}

test('a module may export a server, a tool, a list, an object of tools, or tools under their own names', () => {
  assert.deepEqual(toolsOf({ default: localServer({ name: 'notes', tools: [add] }) }), ['add']);
  assert.deepEqual(toolsOf({ default: add }), ['add']);
  assert.deepEqual(toolsOf({ default: [add, list] }), ['add', 'list']);
  assert.deepEqual(toolsOf({ default: { count: aiSdk, x: add } }), ['count', 'add']);
  assert.deepEqual(toolsOf({ add, list, version: 1, help: () => '', count: aiSdk }), ['add', 'list', 'count']);
});

test('the default export counts alone, unless another one is named', () => {
  assert.deepEqual(toolsOf({ default: [add], list }), ['add']);
  assert.deepEqual(toolsOf({ default: [add], mine: [list] }, { export: 'mine' }), ['list']);
  assert.throws(() => toolsOf({ mine: [list] }, { export: 'mien' }), /no export "mien"; did you mean "mine"\?/);
});

test('a server of another name is refused, naming both', () => {
  assert.throws(
    () => toolsOf({ default: localServer({ name: 'other' }) }),
    /named "other".*in the configuration is "notes"/,
  );
});

test('what is not a tool is named', () => {
  assert.throws(() => toolsOf({}), /exports no tool and no server/);
  assert.throws(() => toolsOf({ a: 1 }), /exports no tool and no server/);
  assert.throws(() => toolsOf({ default: 5 }), /the default export is number/);
  assert.throws(() => toolsOf({ default: null }), /the default export is null/);
  assert.throws(() => toolsOf({ default: [add, 'x'] }), /its element 1 is not a tool/);
  assert.throws(() => toolsOf({ default: { add, x: 'y' } }), /its "x" is not a tool/);
  assert.throws(() => toolsOf({ default: [add, add] }), /"add" already/);
});

test('limits of the configuration hold over those of the module', () => {
  const given = localServer({ name: 'notes', tools: [add], timeoutMs: 5, concurrency: 2 });
  const server = serverFromExports({ name: 'notes', limits: { timeoutMs: 7 } }, { default: given });
  assert.deepEqual(server.limits, { timeoutMs: 7, concurrency: 2 });
  given.add(list);
  assert.equal(server.state().tools.length, 2, 'it is the same server');
  assert.deepEqual(serverFromExports({ name: 'notes', limits: { concurrency: 3 } }, { add }).limits, {
    concurrency: 3,
  });
});
