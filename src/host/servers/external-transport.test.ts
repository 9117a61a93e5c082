import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, suite, test } from 'node:test';
import { SignJWT, generateKeyPair } from 'jose';
import { httpFixture } from '../../../test/mcp-servers/http-fixture.ts';
import { protectedServer } from '../../../test/mcp-servers/protected-server.ts';
import { checkSecrets } from '../../cli/commands/doctor/check-secrets.ts';
import { parseConfiguration } from '../../config/file/load-configuration.ts';
import { keyRing } from '../../config/secrets/key-ring.ts';
import { secretVault } from '../../config/secrets/sealed-files.ts';
import { openBoxForDiagnosis } from '../box/open-box.ts';
import { npmProgram } from './external-transport.ts';

suite('resolveTransport', () => {
  test('uses a changed secret for the next connection, and records neither value', async (t) => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-transport-'));
    const fixture = await httpFixture('modern');
    const vault = secretVault({ data, keys: keyRing(data, { SIGNALBOX_SECRETS: 'file' }) });
    const web = { type: 'http', url: fixture.url, auth: { type: 'bearer', token: '${secret:TOKEN}' } };
    const configuration = parseConfiguration(JSON.stringify({ mcpServers: { web } }), join(data, 'c.json'));
    const { box } = await openBoxForDiagnosis(configuration, { secretsFrom: data });
    t.after(async () => {
      await box.close();
      await fixture.close();
      rmSync(data, { recursive: true });
    });
    assert.equal(fixture.requests.length, 0);
    assert.match(box.servers.health('web')?.lastError ?? '', /run signalbox secret set TOKEN/);
    for (const token of ['first-planted-token', 'second-planted-token']) {
      await vault.set('TOKEN', token);
      await box.servers.restart('web');
      fixture.requests.length = 0;
      const { outcome } = await box.call('mcp__web__echo', { text: `planted: ${token}` });
      assert.equal(outcome, 'completed');
      assert.ok(fixture.requests.length > 0);
      for (const headers of fixture.requests) assert.equal(headers.get('authorization'), `Bearer ${token}`);
    }
    let recorded = '';
    for await (const event of box.journal.stream()) recorded += JSON.stringify(event);
    assert.match(recorded, /planted: \[redacted:TOKEN\]/);
    assert.doesNotMatch(recorded, /planted-token/);
  });

  test('redacts secrets that are written in the configuration', async (t) => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-transport-'));
    const fixture = await httpFixture('modern');
    const literals = ['planted-bearer', 'planted-api-key', 'q8Zt5Lr2Xw7Nb4Vc9Md1'];
    const [token, key, random] = literals;
    const web = {
      type: 'http',
      url: fixture.url,
      auth: { type: 'bearer', token },
      headers: { 'X-Api-Key': key, 'X-Trace': random, 'X-Team': 'signals-and-boxes' },
    };
    const configuration = parseConfiguration(JSON.stringify({ mcpServers: { web } }), join(data, 'c.json'));
    const { box } = await openBoxForDiagnosis(configuration, { secretsFrom: data });
    t.after(async () => {
      await box.close();
      await fixture.close();
      rmSync(data, { recursive: true });
    });
    const text = `${literals.join(' ')} signals-and-boxes`;
    assert.equal((await box.call('mcp__web__echo', { text })).outcome, 'completed');
    let recorded = '';
    for await (const event of box.journal.stream()) recorded += JSON.stringify(event);
    assert.match(recorded, /\[redacted:WEB_TOKEN\] \[redacted:WEB_X_API_KEY\] \[redacted:X_TRACE\] signals-and-boxes/);
    for (const literal of literals) assert.ok(!recorded.includes(literal), literal);
    const findings = (await checkSecrets(configuration, data)).filter(({ level }) => level === 'warning');
    assert.deepEqual(
      findings.map(({ what, fix }) => [what.split(' ')[0], fix?.split(',')[0]]),
      [
        ['mcpServers.web.headers.X-Api-Key', 'signalbox secret set WEB_X_API_KEY'],
        ['mcpServers.web.headers.X-Trace', 'signalbox secret set X_TRACE'],
        ['mcpServers.web.auth.token', 'signalbox secret set WEB_TOKEN'],
      ],
    );
  });

  test('reads the platform token from its file for each sign-in, and reports a missing file', async (t) => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-transport-'));
    t.after(() => rmSync(data, { recursive: true }));
    const server = await protectedServer(t);
    const { provider } = server;
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    provider.behavior.platformKey = publicKey;
    provider.clients.set('workload', { redirectUris: [] });
    const auth = { type: 'oauth', grant: 'jwt_bearer', clientId: 'workload', assertionFile: 'platform/token' };
    const web = { type: 'http', url: server.url, auth };
    const configuration = parseConfiguration(JSON.stringify({ mcpServers: { web } }), join(data, 'c.json'));
    const { box } = await openBoxForDiagnosis(configuration, { secretsFrom: data });
    t.after(() => box.close());
    const file = join(data, 'platform', 'token');
    assert.ok(box.servers.health('web')?.lastError?.includes(`"assertionFile" ${file} cannot be read (ENOENT)`));
    const token = await new SignJWT()
      .setProtectedHeader({ alg: 'ES256' })
      .setAudience(provider.issuer)
      .setExpirationTime('5m')
      .sign(privateKey);
    mkdirSync(join(data, 'platform'));
    writeFileSync(file, `${token}\n`);
    await box.servers.restart('web');
    assert.equal(
      (await box.call('mcp__web__echo', { text: 'hello' })).outcome,
      'completed',
      box.servers.health('web')?.lastError,
    );
  });
});

/** Creates a project that has version 1.2.3 of `@scope/files` installed. */
function createProject(t: TestContext, manifest: object, program = '#!/usr/bin/env node\n'): string {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-npm-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const home = join(directory, 'node_modules', '@scope', 'files');
  mkdirSync(home, { recursive: true });
  mkdirSync(join(directory, 'deep', 'below'), { recursive: true });
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: '@scope/files', version: '1.2.3', ...manifest }));
  writeFileSync(join(home, 'main.js'), program);
  return directory;
}

suite('npmProgram', () => {
  test('starts an installed version with this Node, also from a subdirectory', (t) => {
    const directory = createProject(t, { bin: { 'mcp-files': 'main.js' } });
    const file = join(directory, 'node_modules', '@scope', 'files', 'main.js');
    for (const place of [directory, join(directory, 'deep', 'below')])
      assert.deepEqual(npmProgram('@scope/files@1.2.3', ['.'], place), {
        command: process.execPath,
        args: [file, '.'],
      });
  });

  test('chooses the program with the name of the package', (t) => {
    const directory = createProject(t, { bin: { other: 'other.js', files: './main.js' } });
    assert.equal(npmProgram('@scope/files@1.2.3', [], directory).command, process.execPath);
  });

  for (const [why, spec, manifest, program] of [
    ['another version', '@scope/files@1.2.4', { bin: 'main.js' }],
    ['no version', '@scope/files', { bin: 'main.js' }],
    ['a range', '@scope/files@^1.2.3', { bin: 'main.js' }],
    ['a tag', '@scope/files@latest', { bin: 'main.js' }],
    ['no program', '@scope/files@1.2.3', {}],
    ['a missing program', '@scope/files@1.2.3', { bin: 'gone.js' }],
    ['several programs with other names', '@scope/files@1.2.3', { bin: { a: 'main.js', b: 'main.js' } }],
    ['a program that is not for Node', '@scope/files@1.2.3', { bin: 'main.js' }, '#!/bin/sh\n'],
    ['a path instead of a name', '../files@1.2.3', { bin: 'main.js' }],
  ] as const)
    test(`uses npx for ${why}`, (t) => {
      const directory = createProject(t, manifest, program);
      assert.deepEqual(npmProgram(spec, ['.'], directory), { command: 'npx', args: ['-y', spec, '.'] });
    });
});
