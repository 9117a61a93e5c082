import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Source } from '../catalog/source/source.ts';
import { localServer } from '../sources/local/local-server.ts';
import { defineTool } from '../sources/local/define-tool.ts';
import { mcpServer } from '../sources/mcp/mcp-server.ts';
import {
  ann,
  eventsUntil,
  openSessionPlace,
  runTurn,
  says,
  textOf,
  typesOf,
  untilInterrupted,
} from '../../test/support/sessions/session-place.ts';
import { type SessionServer } from './events/session-event.ts';
import { toSessionServers } from './server-status.ts';

/** A server that can be stopped and restarted. */
function shakyServer(required = false): Source & { set(reason: string | undefined): void } {
  const listeners = new Set<() => void>();
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    effect: 'read',
    run: () => 'seen',
  });
  const server = localServer({ name: 'shaky', tools: [look] });
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

const shakyIn = (servers: readonly SessionServer[]): SessionServer | undefined =>
  servers.find(({ name }) => name === 'shaky');

describe('how servers are doing', () => {
  test('is told when a turn begins, and when it changes in the turn', async (t) => {
    const shaky = shakyServer();
    const place = await openSessionPlace({ box: { servers: [shaky] } });
    t.after(() => place.close());
    const { id } = await place.sessions.create({ agent: 'scripted' }, ann);
    place.script = (turn) => untilInterrupted(turn);
    await place.sessions.send(id, 'go', ann);
    const begun = await eventsUntil(place.sessions, id, ({ type }) => type === 'text_delta');
    const status = begun.find((event) => event.type === 'session_status');
    assert.deepEqual(shakyIn(status?.servers ?? []), { name: 'shaky', status: 'up', tools: 1 });
    assert.ok(!status?.servers.some(({ name }) => name === 'runtime'), "the runtime's own tools are no server");
    shaky.set('it fell');
    const fell = await eventsUntil(place.sessions, id, ({ type }) => type === 'session_status', begun.at(-1)?.seq);
    const told = fell.at(-1);
    assert.ok(told?.type === 'session_status');
    const error = 'server "shaky" is down: it fell';
    assert.deepEqual(shakyIn(told.servers), { name: 'shaky', status: 'down', tools: 0, error });
    await place.sessions.interrupt(id);
  });

  test('is told to whoever watches a session in which nothing runs, and is no activity of it', async (t) => {
    const shaky = shakyServer();
    const place = await openSessionPlace({ box: { servers: [shaky] } });
    t.after(() => place.close());
    const [watched, other] = [await place.sessions.create({}, ann), await place.sessions.create({}, ann)];
    const watching = eventsUntil(place.sessions, watched.id, ({ type }) => type === 'session_status', 0);
    await new Promise((resolve) => setTimeout(resolve, 5));
    shaky.set('it fell');
    const [told] = await watching;
    assert.ok(told?.type === 'session_status');
    assert.equal(shakyIn(told.servers)?.status, 'down');
    const after = await place.sessions.get(watched.id);
    assert.deepEqual([after.activeAt, (await place.sessions.get(other.id)).lastSeq], [watched.activeAt, 0]);
  });

  test('a required server that is down fails the turn before the model is asked', async (t) => {
    const broken = mcpServer({
      name: 'broken',
      required: true,
      transport: { type: 'stdio', command: process.execPath, args: ['-e', 'process.exit(3)'] },
    });
    const place = await openSessionPlace({ box: { servers: [broken] } });
    t.after(() => place.close());
    const { id } = await place.sessions.create({ agent: 'scripted' }, ann);
    let asked = 0;
    place.script = () => {
      asked += 1;
      return says();
    };
    const events = await runTurn(place.sessions, id, 'go');
    assert.deepEqual(typesOf(events).slice(-2), ['error', 'done']);
    const error = events.find((event) => event.type === 'error');
    assert.equal(error?.code, 'server-required');
    assert.match(error.message, /broken/);
    assert.equal(asked, 0);
  });

  test('a bad server does not keep the agent from the tools of the others', async (t) => {
    const shaky = shakyServer();
    const place = await openSessionPlace({ box: { servers: [shaky] } });
    t.after(() => place.close());
    shaky.set('it fell');
    const { id } = await place.sessions.create({}, ann);
    const events = await runTurn(place.sessions, id, 'call mcp__notes__count');
    assert.match(textOf(events), /call 1$/);
    const status = events.find((event) => event.type === 'session_status');
    assert.deepEqual(
      status?.servers.map(({ name, status: how }) => [name, how]),
      [
        ['signalbox', 'up'],
        ['notes', 'up'],
        ['shaky', 'down'],
      ],
    );
  });

  test('servers that need a sign-in, that start, and that only the runtime knows are told as such', () => {
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
        { name: 'odd', status: 'whatever', tools: 1, error: 'e' },
      ],
    );
    assert.deepEqual(
      servers.map(({ name, status, tools }) => [name, status, tools]),
      [
        ['a', 'needs-sign-in', 0],
        ['b', 'starting', 0],
        ['c', 'disabled', 0],
        ['past', 'needs-sign-in', 0],
        ['odd', 'whatever', 1],
      ],
    );
  });
});
