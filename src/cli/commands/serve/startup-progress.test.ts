import { openSignalbox } from '../../../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import pc from 'picocolors';
import { testSource, testTool } from '../../../../test/support/boxes/test-source.ts';
import { StartupProgress } from './startup-progress.ts';

const clearLine = '\r\u001b[K';

test('StartupProgress shows how many servers have started, clears the line for other output, and prints a summary', async (t) => {
  const servers = ['one', 'two'].map((name) => {
    const source = testSource(name);
    source.change({ down: { reason: 'it is being connected to', since: Date.now(), isStarting: true } });
    return source;
  });
  const box = await openSignalbox({ servers });
  t.after(() => box.close());
  let printed = '';
  const progress = new StartupProgress({
    stream: new Writable(),
    isTTY: true,
    width: 60,
    colors: pc.createColors(false),
    closed: new AbortController().signal,
    print: async (text) => void (printed += text),
  });
  t.after(progress.follow(box));
  assert.equal(printed, `${clearLine}1/3 servers started`);
  servers[0]?.change({ up: true, tools: [testTool('look')] });
  await new Promise(setImmediate);
  assert.ok(printed.endsWith(`${clearLine}2/3 servers started`));
  await progress.errors.print('a warning\n');
  assert.ok(printed.endsWith(`${clearLine}a warning\n`));
  servers[1]?.change({ down: { reason: 'it crashed', since: Date.now() } });
  await new Promise(setImmediate);
  assert.match(printed, /servers: 2 up, 1 down · \d+ tools after \d+\.\d s\n$/);
});
