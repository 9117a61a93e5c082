/** Requests, approves and runs calls until it is killed. Started by `approval-kills.test.ts`. */
import { appendFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openCoreBox } from '../support/boxes/core-box.ts';
import { testSource, testTool } from '../support/boxes/test-source.ts';

const [, , data = ''] = process.argv;
const accounts = 40;

const pay = testTool('pay', {
  effect: 'irreversible',
  run: async (args, { callId }) => {
    appendFileSync(join(data, 'effects'), `${callId} ${(args as { account: number }).account}\n`);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
    return 'paid';
  },
});
const box = await openCoreBox(join(data, 'signalbox.db'), [testSource('bank', [pay])]);

/** Repeats the same calls, so that this process finds the requests, approvals and runs of earlier ones. */
async function payForever(account: number): Promise<never> {
  for (;;) {
    const first = await box.call('mcp__bank__pay', { account }, { waitMs: 0 });
    if ('approvalId' in first && first.approvalId !== undefined)
      await box.approvals.approve(first.approvalId, { by: { id: 'alice', kind: 'human' } }).catch(() => undefined);
    const results = await Promise.all([1, 2].map(() => box.call('mcp__bank__pay', { account }, { waitMs: 0 })));
    for (const result of results) if (result.outcome === 'completed') writeSync(1, `${result.callId}\n`);
  }
}
writeSync(1, 'ready\n');
await Promise.all(Array.from({ length: accounts }, (_, account) => payForever(account)));
