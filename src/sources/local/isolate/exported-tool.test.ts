import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportedHandler } from './exported-tool.ts';

const exports = {
  direct: { name: 'direct', run: () => 'direct' },
  list: [null, { name: 'doubling', factor: 2, run: ({ n }: { n: number }) => n * 2 }],
  record: { keyed: { run: () => 'keyed' }, taken: { name: 'other', run: () => 'other' } },
  server: { name: 'server', tools: [{ name: 'served', run: () => 'served' }] },
  default: { tools: { deep: { run: () => 'deep' }, broken: { run: 'not a function' } } },
  unnamed: { run: () => 'unnamed' },
  first: { name: 'second', run: () => 'wrong: has this key' },
  later: { name: 'first', run: () => 'has this name' },
  number: 1,
  nothing: undefined,
};

const found: Record<string, unknown> = {
  direct: 'direct',
  doubling: 4,
  keyed: 'keyed',
  other: 'other',
  taken: 'other',
  served: 'served',
  deep: 'deep',
  unnamed: 'unnamed',
  first: 'has this name',
};
for (const [tool, result] of Object.entries(found)) {
  test(`exportedHandler finds the tool "${tool}"`, () => {
    assert.equal(exportedHandler(exports, tool)?.({ n: 2 }, undefined), result);
  });
}

test('exportedHandler keeps the tool as `this`', () => {
  const tool = {
    name: 'doubling',
    factor: 2,
    run({ n }: { n: number }): number {
      return n * this.factor;
    },
  };
  assert.equal(exportedHandler({ tool }, 'doubling')?.({ n: 3 }, undefined), 6);
});

test('exportedHandler ignores values without a run function', () => {
  for (const tool of ['broken', 'server', 'list', 'number', 'nothing', 'toString', 'absent']) {
    assert.equal(exportedHandler(exports, tool), undefined);
  }
});
