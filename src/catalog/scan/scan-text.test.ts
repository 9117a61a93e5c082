import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { flagsOfExample, poisonedExamples } from '../../../test/scan/examples.ts';

describe('the scanner of definitions', () => {
  test('flags at least 90 % of the poisoned examples that were not used to write it', () => {
    const examples = poisonedExamples('held-out');
    const missed = examples.filter((example) => flagsOfExample(example).length === 0);
    assert.ok(missed.length <= examples.length / 10, missed.map(({ text }) => text).join('\n'));
  });
});
