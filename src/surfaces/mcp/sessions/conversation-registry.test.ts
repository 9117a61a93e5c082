import { openSignalbox } from '../../../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Peer } from '../requests/request-context.ts';
import { ConversationRegistry } from './conversation-registry.ts';
import { CatalogView } from '../listing/catalog-view.ts';

const box = await openSignalbox();
after(() => box.close());
const view = new CatalogView(box, undefined);

function peer(id: string): Peer {
  return { principal: { id, kind: 'agent' }, view };
}

describe('ConversationRegistry', () => {
  test('a client of a principal keeps its session until it is idle for half an hour', () => {
    let time = 0;
    const conversations = new ConversationRegistry({ now: () => time });
    const first = conversations.of(peer('a'), { name: 'x', version: '1' });
    time += 29 * 60_000;
    assert.equal(conversations.of(peer('a'), { name: 'x', version: '1' }), first);
    assert.notEqual(conversations.of(peer('b'), { name: 'x', version: '1' }), first);
    assert.notEqual(conversations.of(peer('a'), { name: 'y', version: '1' }), first);
    assert.equal(conversations.clients().length, 3);
    time += 31 * 60_000;
    assert.deepEqual(conversations.clients(), [], 'idle clients are not listed');
    assert.notEqual(conversations.of(peer('a'), { name: 'x', version: '1' }), first);
  });

  test('all processes with a shared store use the same session, for one principal only', async (t) => {
    const { keyValues } = box.shared;
    const now = (): number => Date.now();
    const [one, other] = [new ConversationRegistry({ keyValues, now }), new ConversationRegistry({ keyValues, now })];
    const client = { name: 'x', version: '1' };
    const names = await Promise.all([one, other, one].map(async (each) => await each.of(peer('shared'), client)));
    assert.equal(new Set(names).size, 1);
    assert.equal(one.of(peer('shared'), client), names[0], 'a process that knows it does not query the store');
    assert.notEqual(await other.of(peer('stranger'), client), names[0]);
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    for (let minutes = 0; minutes < 60; minutes += 5) {
      t.mock.timers.tick(5 * 60_000);
      await one.of(peer('shared'), client);
    }
    assert.equal(await other.of(peer('shared'), client), names[0], 'use at one process extends it for all');
    t.mock.timers.tick(36 * 60_000);
    assert.notEqual(await other.of(peer('shared'), client), names[0]);
  });

  test('a principal with ever new client names evicts only its own sessions', () => {
    const conversations = new ConversationRegistry({ maxPerPrincipal: 10, maxPrincipals: 2 });
    const quiet = conversations.of(peer('quiet'), { name: 'client', version: '1' });
    const oldest = conversations.of(peer('loud'), { name: 'client 0', version: '1' });
    const used = conversations.of(peer('loud'), { name: 'in use', version: '1' });
    for (let count = 1; count < 1000; count += 1) {
      void conversations.of(peer('loud'), { name: `client ${count}`, version: '1' });
      assert.equal(conversations.of(peer('loud'), { name: 'in use', version: '1' }), used);
    }
    assert.equal(conversations.of(peer('quiet'), { name: 'client', version: '1' }), quiet);
    assert.notEqual(conversations.of(peer('loud'), { name: 'client 0', version: '1' }), oldest);
  });

  test('evicted sessions are deleted from the store', async () => {
    const { keyValues } = box.shared;
    const before = (await keyValues.list('mcp-conversation')).length;
    const conversations = new ConversationRegistry({ keyValues, maxPerPrincipal: 3 });
    for (let count = 0; count < 20; count += 1)
      await conversations.of(peer('loud'), { name: `client ${count}`, version: '1' });
    assert.equal((await keyValues.list('mcp-conversation')).length - before, 3);
  });
});
