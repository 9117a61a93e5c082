import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingEvidence } from './evidence.ts';

test('a requirement needs every test it names to exist and to pass', () => {
  const requirements = {
    A1: { promise: 'shown', tests: ['a.test.ts > passes'] },
    A2: { promise: 'not shown', tests: ['a.test.ts > fails', 'a.test.ts > skipped', 'a.test.ts > missing'] },
    A3: { promise: 'open', tests: [] },
  } as const;

  assert.deepEqual(
    missingEvidence(requirements, [
      { id: 'a.test.ts > passes', state: 'passed' },
      { id: 'a.test.ts > fails', state: 'failed' },
      { id: 'a.test.ts > skipped', state: 'skipped' },
    ]),
    ['A2: "a.test.ts > fails" failed', 'A2: "a.test.ts > skipped" skipped', 'A2: "a.test.ts > missing" does not exist'],
  );
});
