import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listFlags, v8Flags } from './tune-v8.ts';

test('this version of V8 supports every flag that is set', async () => {
  const help = await listFlags();
  assert.deepEqual(
    v8Flags.filter((name) => !help.includes(`--${name} `)),
    [],
  );
});
