/** Makes one call, and dies between effect and record. Started by `crash-after-effect.test.ts`. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCoreBox } from '../support/boxes/core-box.ts';
import { testSource, testTool } from '../support/boxes/test-source.ts';

const [, , data = '', key = ''] = process.argv;

const act = testTool('act', {
  effect: 'irreversible',
  run: (_, { callId }) => {
    appendFileSync(join(data, 'effects'), `${callId} ${key}\n`);
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => undefined);
  },
});
const box = await openCoreBox(join(data, 'signalbox.db'), [testSource('t', [act])]);
const { approvalId = '' } = (await box.call('mcp__t__act', { key }, { waitMs: 0 })) as { approvalId?: string };
await box.approvals.approve(approvalId, { by: { id: 'alice', kind: 'human' } });
await box.call('mcp__t__act', { key }, { idempotencyKey: key });
