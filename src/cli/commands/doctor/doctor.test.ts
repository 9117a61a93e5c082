import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRuntime } from './doctor.ts';

const levels = (node: string, sqlite?: string): string[] =>
  checkRuntime(sqlite === undefined ? { node } : { node, sqlite }).map((finding) => finding.level);

test('checkRuntime compares versions as numbers', () => {
  assert.deepEqual(levels('22.18.0', '3.51.3'), ['ok', 'ok']);
  assert.deepEqual(levels('100.0.0', '3.100.0'), ['ok', 'ok']);
  assert.deepEqual(levels('22.9.0', '3.51.2'), ['error', 'warning']);
  assert.deepEqual(levels('24.0.0', '3.6.20'), ['ok', 'warning']);
  assert.deepEqual(levels('24.0.0'), ['ok', 'error']);
});

test('checkRuntime returns a fix with each problem', () => {
  for (const finding of checkRuntime({ node: '20.0.0' })) assert.ok(finding.fix);
});
