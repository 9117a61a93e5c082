import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { processStart } from '../../src/host/daemon/run-files.ts';
import { Place, finished, said } from './cli-place.ts';

const down = { mcpServers: { gone: { command: 'signalbox-no-such-program' } } };

interface Status {
  readonly running: readonly {
    readonly url: string;
    readonly status: string;
    readonly servers?: readonly { readonly name: string; readonly status: string; readonly reason?: string }[];
  }[];
  readonly records?: {
    readonly waiting: number;
    readonly lastHour: { readonly calls: number; readonly outcomes: Readonly<Record<string, number>> };
  };
}

describe('signalbox status', () => {
  test('tells a server that runs and what is down behind it, what waits, and how calls ended; then that none runs any more', async () => {
    const place = new Place({ 'signalbox.config.json': JSON.stringify(down) });
    const before = await place.run(['status']);
    assert.equal(before.code, 1);
    assert.match(before.stdout, /not running .* → {2}signalbox serve/);

    const server = place.start(['serve', '--port', '0', '--json']);
    const { url } = JSON.parse(await said(server.stdout, /\n/)) as { url: string };
    assert.equal((await place.run(['call', 'ping'])).code, 0);
    const { running, records } = (await place.json(['status'])) as unknown as Status;
    assert.deepEqual(
      running.map(({ url: at, status }) => [at, status]),
      [[url, 'ok']],
    );
    const gone = running[0]?.servers?.find(({ name }) => name === 'gone');
    assert.equal(gone?.status, 'down');
    assert.match(gone.reason ?? '', /signalbox-no-such-program/);
    assert.deepEqual([records?.waiting, records?.lastHour.calls], [0, 1]);
    const { code, stdout } = await place.run(['status']);
    assert.equal(code, 0);
    assert.match(stdout, /^ready {3}http/);
    assert.match(stdout, /down gone: .*signalbox-no-such-program/);
    assert.match(stdout, /no calls wait for approval/);
    assert.match(stdout, /Last hour {2}1 call: 1 completed/);

    const ended = finished(server);
    server.kill('SIGTERM');
    await ended;
    const after = await place.run(['status']);
    assert.equal(after.code, 1);
    assert.match(after.stdout, /not running/);
    assert.match(after.stdout, /1 completed/, 'the records are there without a server');
  });

  test('does not take what a killed server left behind for a server, and says when one does not answer', async () => {
    const place = new Place();
    const left = join(place.data, 'running');
    mkdirSync(left, { recursive: true });
    const startedAt = new Date().toISOString();
    const killed = place.start(['--version']);
    const { pid = 0 } = killed;
    await finished(killed);
    const tell = (name: string, text: string): void => writeFileSync(join(left, `${name}.json`), text, { mode: 0o600 });
    tell('killed', JSON.stringify({ url: 'http://127.0.0.1:1', pid, startedAt }));
    tell('broken', '{');
    assert.deepEqual((await place.json(['status'], 1))['running'], []);
    tell(
      'silent',
      JSON.stringify({ url: 'http://127.0.0.1:1', pid: process.pid, startedAt, ...processStart(process.pid) }),
    );
    const { running } = (await place.json(['status'], 1)) as unknown as Status;
    assert.deepEqual(
      running.map(({ status }) => status),
      ['silent'],
    );
  });

  test('does not send the token to whoever has the port of a killed server', async (t) => {
    const place = new Place();
    const asked: string[] = [];
    const stranger = createServer((request, response) => {
      asked.push(request.headers.authorization ?? '');
      response.end(JSON.stringify({ status: '\u001b]0;mine\u0007', journal: 'ok', servers: 'ok' }));
    });
    t.after(() => stranger.close());
    stranger.listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { port } = stranger.address() as AddressInfo;
    const left = join(place.data, 'running');
    mkdirSync(left, { recursive: true });
    writeFileSync(join(place.data, 'token'), 'sbx_secret', { mode: 0o600 });
    // The id of the process is taken again, by one that began at another time.
    const server = { url: `http://127.0.0.1:${port}`, pid: process.pid, startedAt: new Date().toISOString() };
    const mode = 0o600;
    writeFileSync(join(left, 'killed.json'), JSON.stringify({ ...server, begun: 'before' }), { mode });
    assert.deepEqual((await place.json(['status'], 1))['running'], []);
    assert.deepEqual(asked, []);
    writeFileSync(join(left, 'strange.json'), JSON.stringify({ ...server, ...processStart(process.pid) }), { mode });
    const { stdout } = await place.run(['status']);
    assert.match(stdout, /^silent \(another program answers at this address\)/);
    assert.deepEqual(asked, [''], 'and nobody is sent the token who does not answer as a server does');
  });
});
