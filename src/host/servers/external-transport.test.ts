import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { SignJWT, generateKeyPair } from 'jose';
import { httpFixture } from '../../../test/mcp-servers/http-fixture.ts';
import { protectedServer } from '../../../test/mcp-servers/protected-server.ts';
import { checkSecrets } from '../../cli/commands/doctor/check-secrets.ts';
import { parseConfiguration } from '../../config/file/load-configuration.ts';
import { keyRing } from '../../config/secrets/key-ring.ts';
import { secretVault } from '../../config/secrets/sealed-files.ts';
import { openBoxForDiagnosis } from '../box/open-box.ts';

suite('the secrets of a server', () => {
  test('a changed one is used by the next connection, and neither the old nor the new is recorded', async (t) => {
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

  test('one that stands in the configuration itself is kept out of the record all the same', async (t) => {
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

  test('the token of the platform is read from its file for each sign-in; a file that is missing is named', async (t) => {
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
