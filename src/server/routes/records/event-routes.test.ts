import { openSignalbox } from '../../../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { type ClientStream, openStream, take } from '../../../../test/support/http/event-stream.ts';
import { type TestServer, adminToken, bodyOf, startTestServer } from '../../../../test/support/http/http-server.ts';
import { runSeed } from '../../../../test/support/seeded.ts';
import { textTurn } from '../../../../test/support/sessions/session-fixture.ts';
import { eventsOf, openSessionServer } from '../../../../test/support/sessions/session-server.ts';
import type { JournalEvent } from '../../../journal/entries/journal-event.ts';
import type { Page } from '../../../journal/queries/journal-reader.ts';
import type { ServerOptions } from '../../server-options.ts';
import { startServer } from '../../start-server.ts';

const authorization = `Bearer ${adminToken}`;

interface EventServer extends TestServer {
  watch(query?: string, lastEventId?: string): Promise<ClientStream>;
  /** Returns all journal entries, oldest first, as `/api/journal` returns them. */
  journal(): Promise<readonly JournalEvent[]>;
}

async function startEventServer(test: TestContext, options: Partial<ServerOptions> = {}): Promise<EventServer> {
  const started = await startTestServer(test, options);
  return {
    ...started,
    watch: (query = '', lastEventId) => watch(started.server.url, query, lastEventId),
    journal: async () =>
      (await bodyOf<Page<JournalEvent>>(started.get('/api/journal?order=oldest-first&limit=1000'))).items,
  };
}

function watch(url: string, query = '', lastEventId?: string): Promise<ClientStream> {
  return openStream(`${url}/api/events${query}`, {
    headers: { authorization, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
  });
}

describe('GET /api/events', () => {
  it('sends `ready` and then journal entries as in /api/journal', async (test) => {
    const { watch: open, call, journal } = await startEventServer(test);
    await call('echo', { arguments: { text: 'before' } });
    const before = await journal();
    const stream = await open();
    const messages = stream[Symbol.asyncIterator]();
    const ready = (await messages.next()).value as { id: string; event: string };
    assert.deepEqual([ready.event, ready.id], ['ready', String(before.at(-1)?.seq)]);
    await call('echo', { arguments: { text: 'after' } });
    const entries = (await journal()).slice(before.length);
    for (const entry of entries) {
      const { value } = (await messages.next()) as { value: { id: string; event: string; data: string } };
      assert.deepEqual([value.event, value.id, JSON.parse(value.data)], ['journal', String(entry.seq), entry]);
    }
    stream.drop();
  });

  it('resumes without a gap or duplicate after every disconnect', async (test) => {
    const { watch: open, call, journal } = await startEventServer(test);
    // Another client stays connected: new entries may be in delivery to it while others reconnect.
    const other = await open();
    const step = fc.oneof(
      fc.record({ call: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ read: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ drop: fc.constant(true) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const first = (await journal()).at(-1)?.seq ?? 0;
        const seen: number[] = [];
        let last = String(first);
        let stream = await open('?types=journal', last);
        const read = async (): Promise<void> => {
          const { value } = await stream[Symbol.asyncIterator]().next();
          if (value?.event === 'journal') seen.push((JSON.parse(value.data) as JournalEvent).seq);
        };
        const newest = async (): Promise<number> => (await journal()).at(-1)?.seq ?? 0;
        for (const each of steps) {
          if ('call' in each) {
            await Promise.all(Array.from({ length: each.call }, () => call('echo', { arguments: { text: 'x' } })));
          } else if ('read' in each) {
            for (let time = 0; time < each.read && (seen.at(-1) ?? first) < (await newest()); time++) await read();
          } else {
            stream.drop();
            // Like browsers: a client that is disconnected before the first event keeps its previous id.
            last = stream.lastEventId() === '' ? last : stream.lastEventId();
            stream = await open('?types=journal', last);
          }
        }
        while ((seen.at(-1) ?? first) < (await newest())) await read();
        stream.drop();
        const expected = (await journal()).map(({ seq }) => seq).filter((seq) => seq > first);
        assert.deepEqual(seen, expected);
      }),
      { seed: runSeed, numRuns: 25 },
    );
    other.drop();
  });

  it('resumes after many missed entries', async (test) => {
    const { watch: open, box, journal } = await startEventServer(test);
    await Promise.all(Array.from({ length: 450 }, () => box.call('mcp__test__echo', { text: 'x' })));
    const expected = await journal();
    const stream = await open('?after=0');
    assert.deepEqual(await take(stream, expected.length), expected);
    assert.deepEqual(await take(stream, 1), [{ seq: expected.at(-1)?.seq, catalog: box.catalog().version }]);
    stream.drop();
  });

  it('sends the same events to many clients', async (test) => {
    const { watch: open, call, journal } = await startEventServer(test);
    const streams = await Promise.all(Array.from({ length: 20 }, () => open()));
    for (const stream of streams) await take(stream, 1);
    await Promise.all(Array.from({ length: 30 }, () => call('echo', { arguments: { text: 'x' } })));
    const expected = await journal();
    for (const stream of streams) {
      assert.deepEqual(await take(stream, expected.length), expected);
      stream.drop();
    }
  });

  it('sends entries of other processes', async (test) => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-events-'));
    const box = await openSignalbox({ data });
    const server = await startServer({ box, host: '127.0.0.1', port: 0, token: adminToken });
    const other = await openSignalbox({ data });
    test.after(async () => {
      await server.close();
      await Promise.all([box.close(), other.close()]);
      rmSync(data, { recursive: true });
    });
    const stream = await watch(server.url, '?types=ToolInvoked');
    await take(stream, 1);
    const { callId } = await other.call('mcp__signalbox__ping');
    const [entry] = await take<JournalEvent>(stream, 1);
    assert.ok(entry?.type === 'ToolInvoked' && entry.callId === callId);
  });

  it('sends changes of servers, and only the requested types', async (test) => {
    const { watch: open, call, box } = await startEventServer(test);
    const catalog = await open('?types=catalog');
    const changes = await open('?types=ServerChanged');
    for (const stream of [catalog, changes]) await take(stream, 1);
    await call('echo', { arguments: { text: 'x' } });
    box.servers.disable('test');
    const [change] = await take<{ version: number; servers: { name: string; status: string }[] }>(catalog, 1);
    assert.equal(change?.version, box.catalog().version);
    assert.equal(change.servers.find(({ name }) => name === 'test')?.status, 'disabled');
    const [entry] = await take<JournalEvent>(changes, 1);
    assert.ok(entry?.type === 'ServerChanged' && entry.status === 'disabled');
    for (const stream of [catalog, changes]) stream.drop();
  });

  it('sends approval requests and answers', async (test) => {
    const { watch: open, call, box } = await startEventServer(test);
    const stream = await open('?types=ApprovalRequested,ApprovalResolved');
    await take(stream, 1);
    const ended = call('burn');
    const [requested] = await take<JournalEvent>(stream, 1);
    assert.ok(requested?.type === 'ApprovalRequested');
    await box.approvals.deny(requested.approvalId, { by: { id: 'alice', kind: 'human' } });
    const [answered] = await take<JournalEvent>(stream, 1);
    assert.ok(answered?.type === 'ApprovalResolved' && answered.approvalId === requested.approvalId);
    stream.drop();
    await ended;
  });

  it('sends the events of every session as their own streams do', async (test) => {
    const { create, say, server } = await openSessionServer(test);
    const stream = await watch(server.url, '?types=session');
    await take(stream, 1);
    const expected = [];
    for (const content of ['hello', 'ping the server'])
      expected.push(...(await eventsOf(await say(await create(), content))));
    assert.deepEqual(await take(stream, expected.length), expected);
    assert.equal(stream.lastEventId(), '0', 'events of sessions have no id');
    const filtered = await watch(server.url, '?types=done,ToolInvoked');
    await take(filtered, 1);
    await eventsOf(await say(await create(), 'ping the server'));
    const types = (await take<{ type: string }>(filtered, 2)).map(({ type }) => type);
    assert.deepEqual(types.toSorted(), ['ToolInvoked', 'done']);
    for (const each of [stream, filtered]) each.drop();
  });

  it('disconnects slow clients, which resume without a gap in the journal', async (test) => {
    const { create, say, server, fixture } = await openSessionServer(test);
    const stream = await watch(server.url);
    await take(stream, 1);
    fixture.script = () => textTurn(...Array.from({ length: 200 }, () => 'text '.repeat(20_000)));
    const written = await eventsOf(await say(await create({ agent: 'scripted' }), 'write much text'));
    const { callId } = await fixture.box.call('mcp__signalbox__ping');
    let received = 0;
    for await (const { event } of stream) if (event === 'session') received += 1;
    assert.ok(received < written.length, `${received} of ${written.length}`);
    const resumed = await watch(server.url, '', stream.lastEventId());
    const [missed] = await take<JournalEvent>(resumed, 1);
    assert.ok(missed?.type === 'ToolInvoked' && missed.callId === callId);
    resumed.drop();
  });

  it('starts at the end of the journal for an id beyond it', async (test) => {
    const { watch: open, call } = await startEventServer(test);
    const stream = await open('', '999999');
    await take(stream, 1);
    await call('echo', { arguments: { text: 'x' } });
    assert.equal((await take<JournalEvent>(stream, 1))[0]?.type, 'ToolInvoked');
    stream.drop();
  });

  it('refuses invalid ids and types', async (test) => {
    const { get } = await startTestServer(test);
    for (const id of ['x', '-1', '1.5', '9'.repeat(16), '1e3', '', '0x1'])
      assert.equal((await get('/api/events', { 'last-event-id': id })).status, 400, id);
    for (const query of ['after=x', 'after=', 'types=nonsense', 'types=', 'typs=journal', 'after=1&after=2'])
      assert.equal((await get(`/api/events?${query}`)).status, 400, query);
  });

  it('ends at once when the server stops', async (test) => {
    // A server that waited for the grace period would not stop within this test.
    const { watch: open, server } = await startEventServer(test, { limits: { graceMs: 3_600_000 } });
    const stream = await open();
    await take(stream, 1);
    const closed = server.close();
    await assert.rejects(take(stream, 1), /ended after 0/);
    await closed;
  });
});
