import { openSignalbox } from '../../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { testSource } from '../../../test/support/test-source.ts';
import { defineTool, localServer } from '../../index.ts';

test('servers that change how they are, or go, are recorded; those that come and are up are not', async () => {
  const broken = testSource('broken');
  broken.change({ down: { reason: 'no such program', since: 1 } });
  const slow = testSource('slow');
  slow.change({ down: { reason: 'it is being connected to', since: 1, isStarting: true } });
  const box = await openSignalbox({ servers: [localServer({ name: 'calm' }), broken, slow] });
  await turn();
  slow.change({ up: true });
  box.servers.disable('calm');
  await turn();
  box.servers.enable('calm');
  await turn();
  box.servers.add(localServer({ name: 'late' }));
  await turn();
  await box.servers.remove('late');
  await turn();
  const { items } = await box.journal.query({ type: 'ServerChanged', order: 'oldest-first' });
  const told = items.map((event) => event.type === 'ServerChanged' && [event.server, event.status]);
  assert.deepEqual(told, [
    ['broken', 'down'],
    ['calm', 'disabled'],
    ['calm', 'up'],
    ['late', 'removed'],
  ]);
  await box.close();
});

test('tools that the host adds to the built-in server are not recorded', async () => {
  const box = await openSignalbox({ servers: [localServer({ name: 'calm' })] });
  await turn();
  box.builtin?.add(defineTool({ name: 'more', description: 'More.', effect: 'read', run: () => 'more' }));
  await turn();
  assert.ok(box.tools().some(({ name }) => name === 'mcp__signalbox__more'));
  box.servers.disable('calm');
  await turn();
  box.servers.enable('calm');
  await turn();
  const { items } = await box.journal.query({ type: 'ServerChanged', order: 'oldest-first' });
  assert.deepEqual(items.map((event) => event.type === 'ServerChanged' && event.server)[0], 'calm');
  await box.close();
});
