import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { testSource, testTool } from '../../../test/support/boxes/test-source.ts';
import { createSignalbox } from '../../index.ts';
import type { SourceLimits } from '../../catalog/source/source.ts';

test('a fault inside Signalbox after the tool ran is unknown, and does not keep its workspace locked', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-fault-'));
  t.after(() => rmSync(directory, { recursive: true }));
  let isFaulty = false;
  const pay = testTool('pay', {
    effect: 'undoable',
    run: () => {
      isFaulty = true;
      return 'paid';
    },
  });
  const limits: SourceLimits = {
    workspace: [directory],
    get results() {
      if (isFaulty) throw new Error('limits are gone');
      return {};
    },
  };
  const source = { ...testSource('t', [pay]), limits };
  const box = await createSignalbox({
    data: join(directory, '.data'),
    servers: [source],
    policies: [{ id: 'all', match: '*', allow: true }],
  });
  t.after(() => box.close());
  for (let attempt = 0; attempt < 2; attempt += 1) {
    isFaulty = false;
    const { outcome, error } = await box.call('mcp__t__pay');
    assert.deepEqual([outcome, error?.code], ['unknown', 'internal-fault'], error?.message);
    assert.match(error?.message ?? '', /limits are gone/);
  }
});
