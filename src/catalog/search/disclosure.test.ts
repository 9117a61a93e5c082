import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distractors } from '../../../test/support/distractors.ts';
import { breakEvenBytes, isCheaperFound } from './disclosure.ts';

test('tools are found instead of listed only where their listing is larger than the measured break-even', () => {
  const tools = distractors(400);
  const size = (count: number): number =>
    tools
      .slice(0, count)
      .map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }))
      .reduce((sum, tool) => sum + Buffer.byteLength(JSON.stringify(tool)), 0);
  const first = tools.findIndex((_, index) => size(index + 1) > breakEvenBytes) + 1;
  assert.ok(first > 20);
  assert.deepEqual([isCheaperFound(tools.slice(0, first - 1)), isCheaperFound(tools.slice(0, first))], [false, true]);
  assert.equal(isCheaperFound([]), false);
});
