import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { suite, test } from 'node:test';
import { begin, send } from '../mcp-clients/raw.ts';
import { token } from '../mcp-clients/serving.ts';
import { type ClientStream, openStream } from '../support/event-stream.ts';
import { isFull } from '../support/faults.ts';
import { within } from '../support/within.ts';
import { pressedServer } from './pressed.ts';

const readers = 100;
const most = 50 * 1024 * 1024;
const [times, bytes] = [isFull() ? 6000 : 800, 20_000];

/** Asks, and never reads a byte of the answer. */
async function stalled(url: string, lines: readonly string[], body = ''): Promise<Socket> {
  const { port, host } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined).pause();
  await once(socket, 'connect');
  const head = [...lines, `Host: ${host}`, `Authorization: Bearer ${token}`];
  socket.write(`${head.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  return socket;
}

suite('100 readers that do not read', { timeout: 300_000 }, () => {
  test('of everything that happens cost less than 50 MB while much is told, and who comes back misses nothing', async (t) => {
    const { url, ask } = await pressedServer(t);
    const sockets: Socket[] = [];
    t.after(() => sockets.forEach((socket) => socket.destroy()));
    await ask({ ask: 'call', times: times / 4, bytes });
    const before = await ask({ ask: 'fare' });
    const lost: ClientStream = await openStream(`${url}/api/events?types=ToolInvoked`, {
      headers: { authorization: `Bearer ${token}` },
    });
    // Some begin now, others later, and some have everything from the beginning to catch up with: each waits at another place.
    for (let round = 0; round < 10; round += 1) {
      for (let reader = 0; reader < (readers - 10) / 10; reader += 1) {
        const from = reader % 3 === 0 ? ['Last-Event-ID: 0'] : [];
        sockets.push(await stalled(url, ['GET /api/events HTTP/1.1', ...from]));
      }
      await ask({ ask: 'call', times: times / 10, bytes });
    }
    const after = await ask({ ask: 'fare' });
    const growth = after.held - before.held;
    t.diagnostic(`${(times * bytes) / 1e6} MB told, held ${(growth / 1e6).toFixed(1)} MB more`);
    assert.ok(growth < most, `${growth} bytes more are held`);
    assert.deepEqual(after.logged, []);

    const seen = new Set<string>();
    const read = async (stream: ClientStream): Promise<void> => {
      for await (const { data } of stream) {
        const { arguments: given } = JSON.parse(data) as { arguments?: { text: string } };
        if (given !== undefined) seen.add(given.text.split(' ')[0] ?? '');
        if (seen.size >= times / 10) return;
      }
    };
    await within(read(lost), 'the end of what waits for a reader', () => `${seen.size}`);
    for (let again = 0; seen.size < times / 10 && again < 50; again += 1) {
      const back = await openStream(`${url}/api/events?types=ToolInvoked`, {
        headers: { authorization: `Bearer ${token}`, 'last-event-id': lost.lastEventId() },
      });
      await within(read(back), 'what was missed', () => `${seen.size}`);
      back.drop();
    }
    assert.equal(seen.size, times / 10);
  });

  test('of their own calls’ progress over MCP cost less than 50 MB, and the calls end', async (t) => {
    const { url, ask } = await pressedServer(t);
    const address = new URL('/mcp', url);
    const session = await begin(address);
    const sockets: Socket[] = [];
    t.after(() => sockets.forEach((socket) => socket.destroy()));
    const before = await ask({ ask: 'fare' });
    const params = { name: 'mcp__fixture__chat', arguments: {}, _meta: { progressToken: 1 } };
    for (let reader = 1; reader <= readers; reader += 1) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: reader, method: 'tools/call', params });
      const more = Object.entries(session).map(([name, value]) => `${name}: ${value}`);
      const type = ['Content-Type: application/json', 'Accept: application/json, text/event-stream'];
      sockets.push(await stalled(url, ['POST /mcp HTTP/1.1', ...type, ...more], body));
    }
    const ended = async (): Promise<number> => {
      const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
      return Number(
        /signalbox_calls_total\{.*tool="[a-z_]*chat".*outcome="completed"\} (\d+)/.exec(await response.text())?.[1] ??
          0,
      );
    };
    await within(
      (async () => {
        while ((await ended()) < readers) await new Promise((resolve) => setTimeout(resolve, 50));
      })(),
      'the end of all calls',
    );
    const growth = (await ask({ ask: 'fare' })).held - before.held;
    t.diagnostic(`500 MB told, held ${(growth / 1e6).toFixed(1)} MB more`);
    assert.ok(growth < most, `${growth} bytes more are held`);
    const ping = await send(address, '{"jsonrpc":"2.0","id":"p","method":"ping"}', session);
    assert.equal(ping.status, 200, 'others are served');
  });
});
