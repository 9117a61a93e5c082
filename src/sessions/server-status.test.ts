import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Source } from '../catalog/source/source.ts';
import { localServer } from '../sources/local/local-server.ts';
import { defineTool } from '../sources/local/define-tool.ts';
import { mcpServer } from '../sources/mcp/mcp-server.ts';
import {
  ann,
  eventsUntil,
  openSessionFixture,
  runTurn,
  textTurn,
  textOf,
  typesOf,
  untilInterrupted,
} from '../../test/support/sessions/session-fixture.ts';
import type { SessionServer } from './events/session-event.ts';
import { toSessionServers } from './server-status.ts';

/** A server that can be stopped and restarted. */
function switchableServer(required = false): Source & { set(reason: string | undefined): void } {
  const listeners = new Set<() => void>();
  const read = defineTool({
    name: 'read',
    description: 'Reads.',
    input: { type: 'object' },
    effect: 'read',
    run: () => 'seen',
  });
  const server = localServer({ name: 'switchable', tools: [read] });
  let down: { reason: string; since: number } | undefined;
  return {
    ...server,
    required,
    state: () => (down === undefined ? server.state() : { ...server.state(), down }),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(reason) {
      down = reason === undefined ? undefined : { reason, since: Date.now() };
      for (const listener of listeners) listener();
    },
  };
}

const findSwitchable = (servers: readonly SessionServer[]): SessionServer | undefined =>
  servers.find(({ name }) => name === 'switchable');

describe('status of servers in a session', () => {
  test('is emitted when a turn starts and when it changes during the turn', async (t) => {
    const switchable = switchableServer();
    const place = await openSessionFixture({ box: { servers: [switchable] } });
    t.after(() => place.close());
    const { id } = await place.sessions.create({ agent: 'scripted' }, ann);
    place.script = (turn) => untilInterrupted(turn);
    await place.sessions.send(id, 'go', ann);
    const begun = await eventsUntil(place.sessions, id, ({ type }) => type === 'text_delta');
    const status = begun.find((event) => event.type === 'session_status');
    assert.deepEqual(findSwitchable(status?.servers ?? []), { name: 'switchable', status: 'up', tools: 1 });
    assert.ok(!status?.servers.some(({ name }) => name === 'runtime'), 'the tools of the runtime are not a server');
    switchable.set('it stopped');
    const events = await eventsUntil(place.sessions, id, ({ type }) => type === 'session_status', begun.at(-1)?.seq);
    const changed = events.at(-1);
    assert.ok(changed?.type === 'session_status');
    const error = 'server "switchable" is down: it stopped';
    assert.deepEqual(findSwitchable(changed.servers), { name: 'switchable', status: 'down', tools: 0, error });
    await place.sessions.interrupt(id);
  });

  test('is emitted in a watched idle session, without counting as activity', async (t) => {
    const switchable = switchableServer();
    const place = await openSessionFixture({ box: { servers: [switchable] } });
    t.after(() => place.close());
    const [watched, other] = [await place.sessions.create({}, ann), await place.sessions.create({}, ann)];
    const watching = eventsUntil(place.sessions, watched.id, ({ type }) => type === 'session_status', 0);
    // Resolves after the watcher has subscribed.
    await place.sessions.get(watched.id);
    switchable.set('it stopped');
    const [changed] = await watching;
    assert.ok(changed?.type === 'session_status');
    assert.equal(findSwitchable(changed.servers)?.status, 'down');
    const after = await place.sessions.get(watched.id);
    assert.deepEqual([after.activeAt, (await place.sessions.get(other.id)).lastSeq], [watched.activeAt, 0]);
  });

  test('a required server that is down fails the turn before the runtime starts', async (t) => {
    const broken = mcpServer({
      name: 'broken',
      required: true,
      transport: { type: 'stdio', command: process.execPath, args: ['-e', 'process.exit(3)'] },
    });
    const place = await openSessionFixture({ box: { servers: [broken] } });
    t.after(() => place.close());
    const { id } = await place.sessions.create({ agent: 'scripted' }, ann);
    let turns = 0;
    place.script = () => {
      turns += 1;
      return textTurn();
    };
    const events = await runTurn(place.sessions, id, 'go');
    assert.deepEqual(typesOf(events).slice(-2), ['error', 'done']);
    const error = events.find((event) => event.type === 'error');
    assert.equal(error?.code, 'server-required');
    assert.match(error.message, /broken/);
    assert.equal(turns, 0);
  });

  test('a server that is down does not block the tools of other servers', async (t) => {
    const switchable = switchableServer();
    const place = await openSessionFixture({ box: { servers: [switchable] } });
    t.after(() => place.close());
    switchable.set('it stopped');
    const { id } = await place.sessions.create({}, ann);
    const events = await runTurn(place.sessions, id, 'call mcp__notes__count');
    assert.match(textOf(events), /call 1$/);
    const status = events.find((event) => event.type === 'session_status');
    assert.deepEqual(
      status?.servers.map((server) => [server.name, server.status]),
      [
        ['signalbox', 'up'],
        ['notes', 'up'],
        ['switchable', 'down'],
      ],
    );
  });

  test('distinguishes servers that need a sign-in, are starting, or are known only to the runtime', () => {
    const since = 1;
    const servers = toSessionServers(
      {
        servers: [
          { name: 'a', adapter: 'mcp:a', status: 'down', since, tools: 0, needsSignIn: true },
          { name: 'b', adapter: 'mcp:b', status: 'down', since, tools: 0, connecting: true },
          { name: 'c', adapter: 'mcp:c', status: 'disabled', since, tools: 0 },
        ],
      },
      [
        { name: 'a', status: 'connected', tools: 3 },
        { name: 'past', status: 'needs-auth' },
        { name: 'odd', status: 'unlisted', tools: 1, error: 'e' },
      ],
    );
    assert.deepEqual(
      servers.map(({ name, status, tools }) => [name, status, tools]),
      [
        ['a', 'needs-sign-in', 0],
        ['b', 'starting', 0],
        ['c', 'disabled', 0],
        ['past', 'needs-sign-in', 0],
        ['odd', 'unlisted', 1],
      ],
    );
  });
});
