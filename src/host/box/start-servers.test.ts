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
import { openBox } from './open-box.ts';
import { startConfiguredServers } from './start-servers.ts';

const { type: _, ...program } = fixtureProgram();

interface Place {
  readonly configuration: Configuration;
  readonly data: string;
  /** The programs that were started since. */
  readonly started: readonly ChildProcess[];
}

/** A configuration with one program, and what is said besides. */
function place(t: TestContext, more: JsonObject = {}, files: Readonly<Record<string, string>> = {}): Place {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-begin-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'signalbox.config.json');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  writeFileSync(file, JSON.stringify({ mcpServers: { outside: program }, ...more }));
  const started: ChildProcess[] = [];
  const note = (message: unknown): void => void started.push((message as { process: ChildProcess }).process);
  subscribe('child_process', note);
  t.after(() => unsubscribe('child_process', note));
  return { configuration: loadConfiguration(file), data: join(directory, 'data'), started };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

describe('servers outside are started before there is a box for them', () => {
  test('and their tools are in the box that is made then', async (t) => {
    const { configuration, data, started } = place(t);
    const begun = await startConfiguredServers(configuration, { data, secretsFrom: data });
    assert.equal(started.length, 1);
    const configured = await begun.open();
    await configured.ready();
    const { tools } = configured.box.catalog();
    assert.ok(tools.some(({ id }) => id.server === 'outside'));
    assert.equal(started.length, 1, 'the box takes over the one that runs');
    await configured.close();
    assert.ok(started.every(hasEnded));
  });

  const mistakes: Readonly<Record<string, readonly [more: JsonObject, files: Readonly<Record<string, string>>]>> = {
    'a rule': [{ policies: [{ id: 'wrong', match: '*', deny: 'args.' }] }, {}],
    'the lock': [{}, { 'signalbox.lock': '{ "version": "' }],
    'a secret': [{ secrets: ['SHORT_SECRET'] }, {}],
  };
  for (const [what, [more, files]] of Object.entries(mistakes))
    test(`but none where ${what} cannot be used`, async (t) => {
      process.env['SHORT_SECRET'] = 'abc';
      t.after(() => delete process.env['SHORT_SECRET']);
      const { configuration, data, started } = place(t, more, files);
      await assert.rejects(openBox(configuration, { data, secretsFrom: data }));
      assert.deepEqual(started, []);
    });

  test('and are ended when it cannot be made, as without a store', async (t) => {
    const { configuration, data, started } = place(t);
    mkdirSync(join(data, 'signalbox.db'), { recursive: true });
    await assert.rejects(openBox(configuration, { data, secretsFrom: data }), { code: 'store-unavailable' });
    assert.equal(started.length, 1);
    assert.ok(started.every(hasEnded));
  });

  test('and are ended when nobody makes it', async (t) => {
    const { configuration, data, started } = place(t);
    const begun = await startConfiguredServers(configuration, { data, secretsFrom: data });
    await begun.close();
    assert.equal(started.length, 1);
    assert.ok(started.every(hasEnded));
  });
});
