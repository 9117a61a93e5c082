import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { processStart } from '../../src/host/daemon/run-files.ts';
import { CliProject, waitForExit } from './cli-project.ts';

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
  test('shows a running server, its servers that are down, pending approvals and outcomes, and later that none runs', async () => {
    const project = new CliProject({ 'signalbox.config.json': JSON.stringify(down) });
    const before = await project.run(['status']);
    assert.equal(before.code, 1);
    assert.match(before.stdout, /not running .* → {2}signalbox serve/);

    const { url, stop } = await project.serve();
    assert.equal((await project.run(['call', 'ping'])).code, 0);
    const { running, records } = (await project.json(['status'])) as unknown as Status;
    assert.deepEqual(
      running.map(({ url: address, status }) => [address, status]),
      [[url, 'ok']],
    );
    const gone = running[0]?.servers?.find(({ name }) => name === 'gone');
    assert.equal(gone?.status, 'down');
    assert.match(gone.reason ?? '', /signalbox-no-such-program/);
    assert.deepEqual([records?.waiting, records?.lastHour.calls], [0, 1]);
    const { code, stdout } = await project.run(['status']);
    assert.equal(code, 0);
    assert.match(stdout, /^ready {3}http/);
    assert.match(stdout, /down gone: .*signalbox-no-such-program/);
    assert.match(stdout, /no calls wait for approval/);
    assert.match(stdout, /Last hour {2}1 call: 1 completed/);

    await stop();
    const after = await project.run(['status']);
    assert.equal(after.code, 1);
    assert.match(after.stdout, /not running/);
    assert.match(after.stdout, /1 completed/, 'the records are shown without a server');
  });

  test('ignores the files of a killed server, and reports a server that does not answer', async () => {
    const project = new CliProject();
    const directory = join(project.data, 'running');
    mkdirSync(directory, { recursive: true });
    const startedAt = new Date().toISOString();
    const killed = project.start(['--version']);
    const { pid = 0 } = killed;
    await waitForExit(killed);
    const writeRunFile = (name: string, text: string): void =>
      writeFileSync(join(directory, `${name}.json`), text, { mode: 0o600 });
    writeRunFile('killed', JSON.stringify({ url: 'http://127.0.0.1:1', pid, startedAt }));
    writeRunFile('broken', '{');
    assert.deepEqual((await project.json(['status'], 1))['running'], []);
    writeRunFile(
      'silent',
      JSON.stringify({ url: 'http://127.0.0.1:1', pid: process.pid, startedAt, ...processStart(process.pid) }),
    );
    const { running } = (await project.json(['status'], 1)) as unknown as Status;
    assert.deepEqual(
      running.map(({ status }) => status),
      ['silent'],
    );
  });

  test('does not send the token to another program on the port of a killed server', async (t) => {
    const project = new CliProject();
    const authorizations: string[] = [];
    const otherProgram = createServer((request, response) => {
      authorizations.push(request.headers.authorization ?? '');
      response.end(JSON.stringify({ status: '\u001b]0;mine\u0007', journal: 'ok', servers: 'ok' }));
    });
    t.after(() => otherProgram.close());
    otherProgram.listen(0, '127.0.0.1');
    await once(otherProgram, 'listening');
    const { port } = otherProgram.address() as AddressInfo;
    const directory = join(project.data, 'running');
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(project.data, 'token'), 'sbx_secret', { mode: 0o600 });
    // Another process, which began at another time, has the process id again.
    const server = { url: `http://127.0.0.1:${port}`, pid: process.pid, startedAt: new Date().toISOString() };
    const mode = 0o600;
    writeFileSync(join(directory, 'killed.json'), JSON.stringify({ ...server, begun: 'before' }), { mode });
    assert.deepEqual((await project.json(['status'], 1))['running'], []);
    assert.deepEqual(authorizations, []);
    writeFileSync(join(directory, 'strange.json'), JSON.stringify({ ...server, ...processStart(process.pid) }), {
      mode,
    });
    const { stdout } = await project.run(['status']);
    assert.match(stdout, /^silent \(another program answers at this address\)/);
    assert.deepEqual(authorizations, [''], 'the token is only sent to a program that answers as a server');
  });
});
