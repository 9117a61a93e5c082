import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { FileWatch } from './file-watch.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-watch-'));
after(() => rmSync(directory, { recursive: true }));

/** Files that are watched, and how to wait until a change of them is told. */
function watched(...names: string[]) {
  const watch = new FileWatch();
  const files = names.map((name) => join(directory, name));
  let told = Promise.withResolvers<void>();
  let times = 0;
  watch.watch(files);
  return {
    watch,
    files,
    start: () =>
      watch.start(() => {
        times++;
        told.resolve();
        told = Promise.withResolvers();
        return Promise.resolve();
      }),
    next: () => told.promise,
    times: () => times,
  };
}

suite('files that are watched', () => {
  test('a change after a file was named is told, however early it comes', async () => {
    const file = join(directory, 'early');
    writeFileSync(file, 'one');
    const { watch, start, next } = watched('early');
    writeFileSync(file, 'two');
    const told = next();
    start();
    await told;
    watch.close();
  });

  test('a file that comes, is replaced and goes is told of each time', async () => {
    const { watch, start, next } = watched('comes');
    const file = join(directory, 'comes');
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
      const told = next();
      step();
      await told;
    }
    watch.close();
  });

  test('of files that are no longer named, and after the end, nothing is told', async () => {
    const { watch, files, start, next, times } = watched('left', 'kept');
    start();
    watch.watch(files.slice(1));
    writeFileSync(join(directory, 'left'), 'changed');
    const told = next();
    writeFileSync(join(directory, 'kept'), 'changed');
    await told;
    assert.equal(times(), 1);
    watch.close();
    const other = watched('kept');
    writeFileSync(join(directory, 'kept'), 'changed again');
    const seen = other.next();
    other.start();
    await seen;
    other.watch.close();
    assert.equal(times(), 1);
  });
});
