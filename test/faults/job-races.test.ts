import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('./job-process.ts', import.meta.url));
const begin = Date.parse('2026-11-16T08:00:30Z');
const minutes = 400;

test('four processes run the same jobs, and no run starts twice', async (t) => {
  const directory = temporaryDirectory(t);
  const file = join(directory, 'signalbox.db');
  const store = sqliteStore({ file });
  const text = JSON.stringify({ cron: '* * * * *', timezone: 'UTC', prompt: 'x' });
  const fixed = { owner: '{"id":"ada","kind":"human"}', ownerId: 'ada', text, createdAt: begin, lastAt: 0 };
  await store.jobs.add({ ...fixed, id: 'job_1', nextAt: begin + 30_000, lastSession: '', lastError: '' }, 9);
  const outputs = await Promise.all(
    Array.from({ length: 4 }, () => run(process.execPath, [program, file, String(begin), String(minutes)])),
  );
  const runs = outputs.map(({ stdout }) => stdout.split('\n').filter(Boolean));
  const all = runs.flat();
  assert.equal(new Set(all).size, all.length, 'no run starts twice');
  const job = await store.jobs.get('job_1');
  assert.equal(Math.max(...all.map(Number)), job?.lastAt);
  assert.equal(job?.nextAt, begin + (minutes - 1) * 60_000 + 30_000, 'all due runs have started');
  assert.equal(job.lastError, 'there are no sessions here', 'the error of the last run is recorded');
  await store.close();
});
