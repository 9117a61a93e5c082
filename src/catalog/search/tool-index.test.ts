import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { distractors } from '../../../test/support/boxes/distractors.ts';
import { argumentNames, firstSentence, toolIndex } from './tool-index.ts';
import { stem, wordsOf } from './search-words.ts';

const tools = distractors(300);
const otherIndex = toolIndex([...tools]);

describe('wordsOf', () => {
  test('returns the stemmed words of names and sentences, without stop words', () => {
    assert.deepEqual(
      wordsOf('What are the readFile, read_files, Read-File?'),
      wordsOf('read file read file read file'),
    );
    assert.deepEqual(wordsOf('Größe ändern 日本'), ['größ', 'ändern', '日本']);
    for (const same of [
      'create creates creating created creation',
      'directory directories',
      'search searches searching',
    ])
      assert.equal(new Set(same.split(' ').map(stem)).size, 1, same);
  });
});

describe('ToolIndex', () => {
  test('ranks a tool first when the query is its name', () => {
    for (const tool of tools.slice(0, 50)) {
      assert.equal(toolIndex(tools).search(tool.name, 5)[0], tool);
      assert.equal(toolIndex(tools).search(` ${tool.id.tool.toUpperCase()} `, 1)[0]?.id.tool, tool.id.tool);
    }
  });

  test('returns at most the limit, each tool once, and the same result for any query', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.lorem()),
        fc.integer({ min: 1, max: 20 }),
        (query, limit) => {
          const found = toolIndex(tools).search(query, limit);
          assert.ok(found.length <= limit && new Set(found).size === found.length);
          assert.deepEqual(found, otherIndex.search(query, limit));
        },
      ),
      { seed: 7, numRuns: 100 },
    );
  });

  test('is created once for each list of tools', () => {
    assert.equal(toolIndex(tools), toolIndex(tools));
    assert.notEqual(toolIndex(tools), toolIndex([...tools]));
    assert.deepEqual(toolIndex([]).search('anything', 5), []);
  });
});

test('firstSentence and argumentNames summarize a tool', () => {
  assert.equal(firstSentence('Reads v1.2 files. Slowly.'), 'Reads v1.2 files.');
  assert.equal(firstSentence('no full stop\nmore'), 'no full stop');
  assert.equal(firstSentence(''), '');
  assert.deepEqual(argumentNames({ properties: { a: {}, b: {} }, required: ['a'] }), ['a', 'b?']);
  assert.deepEqual([argumentNames(true), argumentNames({}), argumentNames({ properties: 7 })], [[], [], []]);
});
