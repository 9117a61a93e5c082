import { openSignalbox } from '../../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { testSource } from '../../../test/support/boxes/test-source.ts';
import { defineTool, localServer } from '../../index.ts';

test('changes of status and removals of servers are recorded, new servers that are up are not', async () => {
  const broken = testSource('broken');
  broken.change({ down: { reason: 'no such program', since: 1 } });
  const slow = testSource('slow');
  slow.change({ down: { reason: 'it is being connected to', since: 1, isStarting: true } });
  const box = await openSignalbox({ servers: [localServer({ name: 'stable' }), broken, slow] });
  await nextTurn();
  slow.change({ up: true });
  box.servers.disable('stable');
  await nextTurn();
  box.servers.enable('stable');
  await nextTurn();
  box.servers.add(localServer({ name: 'late' }));
  await nextTurn();
  await box.servers.remove('late');
  await nextTurn();
  const { items } = await box.journal.query({ type: 'ServerChanged', order: 'oldest-first' });
  const recorded = items.map((event) => event.type === 'ServerChanged' && [event.server, event.status]);
  assert.deepEqual(recorded, [
    ['broken', 'down'],
    ['stable', 'disabled'],
    ['stable', 'up'],
    ['late', 'removed'],
  ]);
  await box.close();
});

test('tools that the host adds to the built-in server are not recorded', async () => {
  const box = await openSignalbox({ servers: [localServer({ name: 'stable' })] });
  await nextTurn();
  box.builtin?.add(defineTool({ name: 'more', description: 'More.', effect: 'read', run: () => 'more' }));
  await nextTurn();
  assert.ok(box.tools().some(({ name }) => name === 'mcp__signalbox__more'));
  box.servers.disable('stable');
  await nextTurn();
  box.servers.enable('stable');
  await nextTurn();
  const { items } = await box.journal.query({ type: 'ServerChanged', order: 'oldest-first' });
  const servers = items.map((event) => event.type === 'ServerChanged' && event.server);
  assert.deepEqual(servers, ['stable', 'stable']);
  await box.close();
});
