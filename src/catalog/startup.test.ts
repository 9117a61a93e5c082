import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixtureProgram } from '../../test/mcp-servers/programs.ts';
import { SignalboxError, createSignalbox, mcpServer } from '../index.ts';

const missing = { type: 'stdio' as const, command: 'no-such-program' };

describe('box.servers.ready', () => {
  test('rejects with the reason when a required server is down, and ignores other servers', async (t) => {
    const [needed, other] = [
      mcpServer({ name: 'needed', transport: missing, required: true }),
      mcpServer({ name: 'other', transport: missing }),
    ];
    const box = await createSignalbox({ servers: [needed, other] });
    t.after(() => box.close());
    await needed.ready();
    await assert.rejects(box.servers.ready({ waitMs: 0 }), (error) => {
      assert.ok(error instanceof SignalboxError);
      assert.equal(error.code, 'server-required');
      assert.match(error.message, /server "needed" is down: the program "no-such-program" was not found/);
      assert.doesNotMatch(error.message, /other/);
      return true;
    });
    const required = box.catalog().servers.map(({ name, required: is }) => [name, is ?? false]);
    assert.deepEqual(required, [
      ['signalbox', false],
      ['needed', true],
      ['other', false],
    ]);
    await box.servers.remove('needed');
    await box.servers.ready({ waitMs: 0 });
  });

  test('waits for a required server that is still connecting, and counts an idle one as up', async (t) => {
    const server = mcpServer({ name: 'slow', transport: fixtureProgram(), required: true, idleStopMs: 50 });
    const box = await createSignalbox({ servers: [server] });
    t.after(() => box.close());
    assert.equal(box.catalog().servers.at(-1)?.status, 'down');
    await box.servers.ready({ waitMs: 30_000 });
    while (server.health().state !== 'idle') await new Promise((resolve) => setTimeout(resolve, 10));
    await box.servers.ready({ waitMs: 0 });
    box.servers.disable('slow');
    await assert.rejects(box.servers.ready({ waitMs: 0 }), /server "slow" is disabled/);
  });

  test('rejects when its signal is aborted', async (t) => {
    const box = await createSignalbox({ servers: [mcpServer({ name: 'never', transport: missing, required: true })] });
    t.after(() => box.close());
    const controller = new AbortController();
    const waiting = box.servers.ready({ waitMs: 60_000, signal: controller.signal });
    controller.abort(new Error('stopped'));
    await assert.rejects(waiting, /stopped/);
  });
});
