import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { describedConfigurationSchema, eachKey, keyDescriptions } from './key-descriptions.ts';

suite('the schema for editors', () => {
  test('says of every key what it means, and of no other', () => {
    const keys = new Set<string>();
    const silent = new Set<string>();
    eachKey(describedConfigurationSchema(), (path, { description }) => {
      keys.add(path);
      if (description === undefined || description !== keyDescriptions[path]) silent.add(path);
    });
    assert.deepEqual([...silent], [], 'keys to be added to key-descriptions.ts');
    assert.deepEqual(
      Object.keys(keyDescriptions).filter((path) => !keys.has(path)),
      [],
      'keys that are gone',
    );
  });
});
