import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { FileWatch } from './file-watch.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-watch-'));
after(() => rmSync(directory, { recursive: true }));

/** Watches files. `next` resolves with the next report of a change. */
function watchFiles(...names: string[]) {
  const watch = new FileWatch();
  const files = names.map((name) => join(directory, name));
  let reported = Promise.withResolvers<void>();
  let times = 0;
  watch.watch(files);
  return {
    watch,
    files,
    start: () =>
      watch.start(() => {
        times++;
        reported.resolve();
        reported = Promise.withResolvers();
        return Promise.resolve();
      }),
    next: () => reported.promise,
    times: () => times,
  };
}

suite('FileWatch', () => {
  test('reports a change that happens before it is started', async () => {
    const file = join(directory, 'early');
    writeFileSync(file, 'one');
    const { watch, start, next } = watchFiles('early');
    writeFileSync(file, 'two');
    const report = next();
    start();
    await report;
    watch.close();
  });

  test('reports when a file is created, replaced and removed', async () => {
    const { watch, start, next } = watchFiles('created');
    const file = join(directory, 'created');
    start();
    const steps = [
      () => writeFileSync(file, 'one'),
      () => {
        writeFileSync(`${file}.new`, 'two');
        renameSync(`${file}.new`, file);
      },
      () => rmSync(file),
    ];
    for (const step of steps) {
      const report = next();
      step();
      await report;
    }
    watch.close();
  });

  test('reports nothing about files that are no longer watched, or after it was closed', async () => {
    const { watch, files, start, next, times } = watchFiles('unwatched', 'watched');
    start();
    watch.watch(files.slice(1));
    writeFileSync(join(directory, 'unwatched'), 'changed');
    const report = next();
    writeFileSync(join(directory, 'watched'), 'changed');
    await report;
    assert.equal(times(), 1);
    watch.close();
    const other = watchFiles('watched');
    writeFileSync(join(directory, 'watched'), 'changed again');
    const seen = other.next();
    other.start();
    await seen;
    other.watch.close();
    assert.equal(times(), 1);
  });
});
