import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { suite, test } from 'node:test';
import { begin, send } from '../mcp-clients/raw.ts';
import { token } from '../mcp-clients/serving.ts';
import { type ClientStream, openStream } from '../support/http/event-stream.ts';
import { isFull } from '../support/faults.ts';
import { within } from '../support/within.ts';
import { startLoadedServer } from './loaded-server.ts';

const readers = 100;
const maxGrowthBytes = 50 * 1024 * 1024;
const [times, bytes] = [isFull() ? 6000 : 800, 20_000];

/** Sends a request, and never reads its response. */
async function openUnreadStream(url: string, lines: readonly string[], body = ''): Promise<Socket> {
  const { port, host } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined).pause();
  await once(socket, 'connect');
  const head = [...lines, `Host: ${host}`, `Authorization: Bearer ${token}`];
  socket.write(`${head.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  return socket;
}

suite('100 clients that do not read', { timeout: 300_000 }, () => {
  test('event streams hold less than 50 MB under load, and a reconnecting client misses nothing', async (t) => {
    const { url, ask } = await startLoadedServer(t);
    const sockets: Socket[] = [];
    t.after(() => sockets.forEach((socket) => socket.destroy()));
    await ask({ ask: 'call', times: times / 4, bytes });
    const before = await ask({ ask: 'measure' });
    const lost: ClientStream = await openStream(`${url}/api/events?types=ToolInvoked`, {
      headers: { authorization: `Bearer ${token}` },
    });
    // Clients connect at different times, and some catch up from the beginning, so that each waits at a different position.
    for (let round = 0; round < 10; round += 1) {
      for (let reader = 0; reader < (readers - 10) / 10; reader += 1) {
        const from = reader % 3 === 0 ? ['Last-Event-ID: 0'] : [];
        sockets.push(await openUnreadStream(url, ['GET /api/events HTTP/1.1', ...from]));
      }
      await ask({ ask: 'call', times: times / 10, bytes });
    }
    const after = await ask({ ask: 'measure' });
    const growth = after.heldBytes - before.heldBytes;
    t.diagnostic(`${(times * bytes) / 1e6} MB sent, ${(growth / 1e6).toFixed(1)} MB more held`);
    assert.ok(growth < maxGrowthBytes, `${growth} bytes more are held`);
    assert.deepEqual(after.logged, []);

    const seen = new Set<string>();
    const read = async (stream: ClientStream): Promise<void> => {
      for await (const { data } of stream) {
        const { arguments: given } = JSON.parse(data) as { arguments?: { text: string } };
        if (given !== undefined) seen.add(given.text.split(' ')[0] ?? '');
        if (seen.size >= times / 10) return;
      }
    };
    await within(read(lost), 'the end of the buffered events', () => `${seen.size}`);
    for (let again = 0; seen.size < times / 10 && again < 50; again += 1) {
      const reconnected = await openStream(`${url}/api/events?types=ToolInvoked`, {
        headers: { authorization: `Bearer ${token}`, 'last-event-id': lost.lastEventId() },
      });
      await within(read(reconnected), 'the missed events', () => `${seen.size}`);
      reconnected.drop();
    }
    assert.equal(seen.size, times / 10);
  });

  test('progress streams over MCP hold less than 50 MB, and the calls end', async (t) => {
    const { url, ask } = await startLoadedServer(t);
    const address = new URL('/mcp', url);
    const session = await begin(address);
    const sockets: Socket[] = [];
    t.after(() => sockets.forEach((socket) => socket.destroy()));
    const before = await ask({ ask: 'measure' });
    const params = { name: 'mcp__fixture__chat', arguments: {}, _meta: { progressToken: 1 } };
    for (let reader = 1; reader <= readers; reader += 1) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: reader, method: 'tools/call', params });
      const more = Object.entries(session).map(([name, value]) => `${name}: ${value}`);
      const type = ['Content-Type: application/json', 'Accept: application/json, text/event-stream'];
      sockets.push(await openUnreadStream(url, ['POST /mcp HTTP/1.1', ...type, ...more], body));
    }
    const completedCalls = async (): Promise<number> => {
      const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
      return Number(
        /signalbox_calls_total\{.*tool="[a-z_]*chat".*outcome="completed"\} (\d+)/.exec(await response.text())?.[1] ??
          0,
      );
    };
    await within(
      (async () => {
        while ((await completedCalls()) < readers) await new Promise((resolve) => setTimeout(resolve, 50));
      })(),
      'the end of all calls',
    );
    const growth = (await ask({ ask: 'measure' })).heldBytes - before.heldBytes;
    t.diagnostic(`500 MB sent, ${(growth / 1e6).toFixed(1)} MB more held`);
    assert.ok(growth < maxGrowthBytes, `${growth} bytes more are held`);
    const ping = await send(address, '{"jsonrpc":"2.0","id":"p","method":"ping"}', session);
    assert.equal(ping.status, 200, 'other clients are served');
  });
});
