import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineTool } from '../../sources/local/define-tool.ts';
import { localServer } from '../../sources/local/local-server.ts';
import { serverFromExports } from './server-from-exports.ts';

const add = defineTool({ name: 'add', description: 'Adds.', run: () => 'added' });
const list = defineTool({ name: 'list', description: 'Lists.', run: () => [] });
const aiSdkTool = { description: 'Of the AI SDK.', inputSchema: { type: 'object' }, execute: () => 1 };

function toolsOf(exports: Record<string, unknown>, settings: { export?: string } = {}): string[] {
  const server = serverFromExports({ name: 'notes', limits: {}, ...settings }, exports);
  assert.equal(server.server, 'notes');
  return server.state().tools.map((tool) => tool.tool);
}

test('serverFromExports accepts a server, a tool, an array or object of tools, and tools as named exports', () => {
  assert.deepEqual(toolsOf({ default: localServer({ name: 'notes', tools: [add] }) }), ['add']);
  assert.deepEqual(toolsOf({ default: add }), ['add']);
  assert.deepEqual(toolsOf({ default: [add, list] }), ['add', 'list']);
  assert.deepEqual(toolsOf({ default: { count: aiSdkTool, x: add } }), ['count', 'add']);
  assert.deepEqual(toolsOf({ add, list, version: 1, help: () => '', count: aiSdkTool }), ['add', 'list', 'count']);
});

test('serverFromExports uses only the default export, unless the entry names another one', () => {
  assert.deepEqual(toolsOf({ default: [add], list }), ['add']);
  assert.deepEqual(toolsOf({ default: [add], mine: [list] }, { export: 'mine' }), ['list']);
  assert.throws(() => toolsOf({ mine: [list] }, { export: 'mien' }), /no export "mien"; did you mean "mine"\?/);
});

test('serverFromExports rejects a server of another name with both names', () => {
  assert.throws(
    () => toolsOf({ default: localServer({ name: 'other' }) }),
    /named "other".*in the configuration is "notes"/,
  );
});

test('serverFromExports reports exports that are not tools', () => {
  assert.throws(() => toolsOf({}), /exports no tool and no server/);
  assert.throws(() => toolsOf({ a: 1 }), /exports no tool and no server/);
  assert.throws(() => toolsOf({ default: 5 }), /the default export is number/);
  assert.throws(() => toolsOf({ default: null }), /the default export is null/);
  assert.throws(() => toolsOf({ default: [add, 'x'] }), /its element 1 is not a tool/);
  assert.throws(() => toolsOf({ default: { add, x: 'y' } }), /its "x" is not a tool/);
  assert.throws(() => toolsOf({ default: [add, add] }), /"add" already/);
});

test('limits of the configuration override those of the module', () => {
  const exported = localServer({ name: 'notes', tools: [add], timeoutMs: 5, concurrency: 2 });
  const server = serverFromExports({ name: 'notes', limits: { timeoutMs: 7 } }, { default: exported });
  assert.deepEqual(server.limits, { timeoutMs: 7, concurrency: 2 });
  exported.add(list);
  assert.equal(server.state().tools.length, 2, 'it is not the same server');
  assert.deepEqual(serverFromExports({ name: 'notes', limits: { concurrency: 3 } }, { add }).limits, {
    concurrency: 3,
  });
});
