import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { describedConfigurationSchema, eachKey, keyDescriptions } from './key-descriptions.ts';

suite('describedConfigurationSchema', () => {
  test('describes every key and no others', () => {
    const keys = new Set<string>();
    const undescribed = new Set<string>();
    eachKey(describedConfigurationSchema(), (path, { description }) => {
      keys.add(path);
      if (description === undefined || description !== keyDescriptions[path]) undescribed.add(path);
    });
    assert.deepEqual([...undescribed], [], 'keys without a description in key-descriptions.ts');
    assert.deepEqual(
      Object.keys(keyDescriptions).filter((path) => !keys.has(path)),
      [],
      'descriptions of keys that no longer exist',
    );
  });
});
