import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { fixtureProgram } from '../../../test/mcp-servers/programs.ts';
import type { Configuration } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/file/load-configuration.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { openBox, startConfiguredServers } from './open-box.ts';

const { type: _, ...program } = fixtureProgram();

interface Place {
  readonly configuration: Configuration;
  readonly data: string;
  /** The programs that were started since the place was created. */
  readonly started: readonly ChildProcess[];
}

/** Creates a configuration with one program, and with `more` keys and `files`. */
function createPlace(t: TestContext, more: JsonObject = {}, files: Readonly<Record<string, string>> = {}): Place {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-begin-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'signalbox.config.json');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  writeFileSync(file, JSON.stringify({ mcpServers: { external: program }, ...more }));
  const started: ChildProcess[] = [];
  const note = (message: unknown): void => void started.push((message as { process: ChildProcess }).process);
  subscribe('child_process', note);
  t.after(() => unsubscribe('child_process', note));
  return { configuration: loadConfiguration(file), data: join(directory, 'data'), started };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

describe('startConfiguredServers', () => {
  test('starts servers before the box is created, which then has their tools', async (t) => {
    const { configuration, data, started } = createPlace(t);
    const pending = await startConfiguredServers(configuration, { data, secretsFrom: data });
    assert.equal(started.length, 1);
    const configured = await pending.open();
    await configured.ready();
    const { tools } = configured.box.catalog();
    assert.ok(tools.some(({ id }) => id.server === 'external'));
    assert.equal(started.length, 1, 'the box started another process');
    await configured.close();
    assert.ok(started.every(hasEnded));
  });

  const mistakes: Readonly<Record<string, readonly [more: JsonObject, files: Readonly<Record<string, string>>]>> = {
    'a rule': [{ policies: [{ id: 'wrong', match: '*', deny: 'args.' }] }, {}],
    'the lock': [{}, { 'signalbox.lock': '{ "version": "' }],
    'a secret': [{ secrets: ['SHORT_SECRET'] }, {}],
  };
  for (const [what, [more, files]] of Object.entries(mistakes))
    test(`starts no server when ${what} is invalid`, async (t) => {
      process.env['SHORT_SECRET'] = 'abc';
      t.after(() => delete process.env['SHORT_SECRET']);
      const { configuration, data, started } = createPlace(t, more, files);
      await assert.rejects(openBox(configuration, { data, secretsFrom: data }));
      assert.deepEqual(started, []);
    });

  test('stops the servers when the box cannot be created', async (t) => {
    const { configuration, data, started } = createPlace(t);
    mkdirSync(join(data, 'signalbox.db'), { recursive: true });
    await assert.rejects(openBox(configuration, { data, secretsFrom: data }), { code: 'store-unavailable' });
    assert.equal(started.length, 1);
    assert.ok(started.every(hasEnded));
  });

  test('stops the servers when it is closed without a box', async (t) => {
    const { configuration, data, started } = createPlace(t);
    const pending = await startConfiguredServers(configuration, { data, secretsFrom: data });
    await pending.close();
    assert.equal(started.length, 1);
    assert.ok(started.every(hasEnded));
  });
});
