import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { parseConfiguration } from '../../../config/file/load-configuration.ts';
import { checkAgents } from './check-agents.ts';
import type { Finding } from './finding.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-doctor-'));
after(() => rmSync(directory, { recursive: true }));

async function check(agent: object): Promise<Finding> {
  const text = JSON.stringify({ agents: { a: agent } });
  const file = join(directory, 'signalbox.config.json');
  writeFileSync(file, text);
  const [first, demo] = await checkAgents(parseConfiguration(text, file), directory);
  assert.deepEqual(demo, { level: 'ok', what: 'agent "demo" (model, demo) can be used' });
  assert.ok(first);
  return first;
}

suite('checkAgents', () => {
  const variables = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CONFIG_DIR'];
  const previous = variables.map((name) => [name, process.env[name]] as const);
  before(() => variables.forEach((name) => delete process.env[name]));
  after(() => previous.forEach(([name, value]) => value !== undefined && (process.env[name] = value)));

  test('reports a model without a key, and a model of an unknown provider, with the fix', async () => {
    assert.deepEqual(await check({ runtime: 'model', model: 'anthropic/claude' }), {
      level: 'error',
      what: 'agent "a" (model, anthropic/claude) cannot be used: model "anthropic/claude" needs a key',
      fix: 'set ANTHROPIC_API_KEY in the environment, or "apiKey" for the provider "anthropic"',
    });
    const { what, fix } = await check({ runtime: 'model', model: 'opnai/gpt' });
    assert.match(what, /which is not known \(did you mean "openai"\?\)$/);
    assert.match(fix ?? '', /^use anthropic, openai, google or demo/);
  });

  test('resolves the key from the configuration, and never shows it', async () => {
    const agent = { runtime: 'model', model: 'openai/gpt', providers: { openai: { apiKey: '${secret:OPENAI}' } } };
    const missing = await check(agent);
    assert.equal(missing.level, 'error');
    assert.match(
      missing.what,
      /signalbox\.config\.json:1: agents\.a\.providers\S* refers to the secret OPENAI, which is not set/,
    );
    assert.equal(missing.fix, 'signalbox secret set OPENAI');
    process.env['DOCTOR_TEST_KEY'] = 'planted-doctor-key';
    const found = await check({ ...agent, providers: { openai: { apiKey: '${env:DOCTOR_TEST_KEY}' } } });
    delete process.env['DOCTOR_TEST_KEY'];
    assert.deepEqual(found, { level: 'ok', what: 'agent "a" (model, openai/gpt) can be used' });
  });

  test('runs Claude Code to get its version, and checks its sign-in', async () => {
    const env = { CLAUDE_CONFIG_DIR: directory, HOME: directory };
    const without = await check({ runtime: 'claude', model: 'opus', env });
    assert.equal(without.level, 'warning');
    assert.match(
      without.what,
      /^agent "a" \(claude, opus\) runs Claude Code \d+\.\d+\.\d+, and has no API key and no sign-in/,
    );
    assert.match(without.fix ?? '', /set ANTHROPIC_API_KEY, or name it in agents\.a\.env/);
    writeFileSync(join(directory, '.credentials.json'), '{}');
    const signedIn = await check({ runtime: 'claude-cli', env });
    assert.match(`${signedIn.level} ${signedIn.what}`, /^ok .* signed in by .*\.credentials\.json$/);
    process.env['ANTHROPIC_API_KEY'] = 'planted-doctor-key';
    const byKey = await check({ runtime: 'claude-cli', env });
    assert.match(`${byKey.level} ${byKey.what}`, /^ok .* signed in by ANTHROPIC_API_KEY$/);
  });

  test('reports a missing or broken program', async () => {
    const missing = await check({ runtime: 'claude-cli', executable: './missing' });
    assert.match(
      `${missing.level} ${missing.what}`,
      /^error .* cannot run Claude Code: the program ".*missing" was not found$/,
    );
    assert.match(missing.fix ?? '', /put claude on the PATH/);
    const file = join(directory, 'broken');
    writeFileSync(file, '#!/bin/sh\nexit 3\n');
    chmodSync(file, 0o755);
    const broken = await check({ runtime: 'claude-cli', executable: './broken' });
    assert.match(`${broken.level} ${broken.what}`, /^error .* cannot run Claude Code: .*broken/);
  });
});
