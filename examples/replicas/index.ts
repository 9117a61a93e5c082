/** Two servers share one PostgreSQL: asked on one, answered on the other, recorded in one chain. Then one of them is stopped. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { servedSignalbox } from '../support/served-signalbox.ts';
import { startPostgres } from '../../test/support/postgres/postgres.ts';

const postgres = await startPostgres();
const files = {
  'bank.ts': `
    import { defineTool } from 'signalbox';
    export const pay = defineTool({
      name: 'pay',
      description: 'Pays somebody.',
      input: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
      effect: 'irreversible',
      run: ({ to }) => 'paid ' + to,
    });`,
  'signalbox.config.json': JSON.stringify({ mcpServers: { bank: { module: './bank.ts' } } }),
};
// Or in the configuration: "store": "postgres://box:${secret:DB_PASSWORD}@db.internal/signalbox".
const environment = { SIGNALBOX_STORE: postgres.address('replicas') };
// On two machines, or behind a load balancer; each has its own directory for what is local.
const [one, two] = await Promise.all([servedSignalbox(files, environment), servedSignalbox(files, environment)]);

// A call on the first one waits …
const call = one.ask('/api/tools/mcp__bank__pay/call', { arguments: { to: 'Ada' }, waitSeconds: 60 });
// … is seen on the second, and answered there.
interface Asked {
  readonly items: readonly { readonly id: string; readonly arguments: object }[];
}
let asked: Asked = { items: [] };
for (; asked.items.length === 0; await delay(50)) asked = (await (await two.ask('/api/approvals')).json()) as Asked;
assert.deepEqual(asked.items[0]?.arguments, { to: 'Ada' });
await two.ask(`/api/approvals/${asked.items[0]?.id}/approve`, {});
const { outcome, callId } = (await (await call).json()) as { outcome: string; callId: string };
assert.equal(outcome, 'completed');

// The first one goes away; what it did is known to the other.
await one.close();
const known = await (await two.ask(`/api/calls/${callId}`)).text();
assert.match(known, /"outcome":"completed"/);
const verified = JSON.parse(await two.run('journal', 'verify', '--json')) as { ok: boolean };
assert.equal(verified.ok, true);

await two.close();
await postgres.end();
