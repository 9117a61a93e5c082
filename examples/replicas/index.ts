/** Two servers share one PostgreSQL: a call on one server is approved on the other, with one journal. Then one of them is stopped. */
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
// In production they run on two machines, behind a load balancer. Each has its own directory for local data.
const [one, two] = await Promise.all([servedSignalbox(files, environment), servedSignalbox(files, environment)]);

// A call on the first server waits …
const call = one.request('/api/tools/mcp__bank__pay/call', { arguments: { to: 'Ada' }, waitSeconds: 60 });
// … and is listed and approved on the second one.
interface Approvals {
  readonly items: readonly { readonly id: string; readonly arguments: object }[];
}
let approvals: Approvals = { items: [] };
for (; approvals.items.length === 0; await delay(50))
  approvals = (await (await two.request('/api/approvals')).json()) as Approvals;
assert.deepEqual(approvals.items[0]?.arguments, { to: 'Ada' });
await two.request(`/api/approvals/${approvals.items[0]?.id}/approve`, {});
const { outcome, callId } = (await (await call).json()) as { outcome: string; callId: string };
assert.equal(outcome, 'completed');

// The first server stops; the other one has the record of its calls.
await one.close();
const recorded = await (await two.request(`/api/calls/${callId}`)).text();
assert.match(recorded, /"outcome":"completed"/);
const verified = JSON.parse(await two.run('journal', 'verify', '--json')) as { ok: boolean };
assert.equal(verified.ok, true);

await two.close();
await postgres.end();
console.log(
  'A call that waited on one server was approved on the other, which has its record after the first one stopped.',
);
