import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from '../../test/support/within.ts';
import { Checkpoints } from './checkpoints.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-checkpoints-'));
after(() => rmSync(directory, { recursive: true, force: true }));

describe('Checkpoints', () => {
  test('removes expired undo state while the process runs, between calls', async (t) => {
    const [data, workspace] = [join(directory, 'data'), join(directory, 'workspace')];
    mkdirSync(data);
    mkdirSync(workspace);
    const keepMs = 200;
    const checkpoints = new Checkpoints(data, { keepMs }, 50);
    t.after(() => checkpoints.close());
    const first = await checkpoints.begin('call_1', [workspace]);
    writeFileSync(join(workspace, 'a'), 'a');
    await first.finish();
    const second = await checkpoints.begin('call_2', [workspace]);
    await delay(2 * keepMs);
    assert.equal((await checkpoints.changesOf('call_1'))?.total, 1, 'nothing is removed while a call runs');
    await second.finish();
    const removed = (async () => {
      while ((await checkpoints.changesOf('call_1')) !== undefined) await delay(20);
    })();
    await within(removed, 'the removal of the expired record');
  });
});
