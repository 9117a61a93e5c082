import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { httpFixture } from '../../test/mcp-servers/http-fixture.ts';
import { parseConfiguration } from '../config/load-configuration.ts';
import { keyRing } from '../config/secrets/key-ring.ts';
import { secretVault } from '../config/secrets/sealed-files.ts';
import { openBoxAnyway } from './open-box.ts';

suite('the secrets of a server', () => {
  test('a changed one is used by the next connection, and neither the old nor the new is recorded', async (t) => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-transport-'));
    const fixture = await httpFixture('modern');
    const vault = secretVault({ data, keys: keyRing(data, { SIGNALBOX_SECRETS: 'file' }) });
    const web = { type: 'http', url: fixture.url, auth: { type: 'bearer', token: '${secret:TOKEN}' } };
    const configuration = parseConfiguration(JSON.stringify({ mcpServers: { web } }), join(data, 'c.json'));
    const { box } = await openBoxAnyway(configuration, { secretsFrom: data });
    t.after(async () => {
      await box.close();
      await fixture.close();
      rmSync(data, { recursive: true });
    });
    assert.equal(fixture.requests.length, 0);
    assert.match(box.health('web')?.lastError ?? '', /run signalbox secret set TOKEN/);
    for (const token of ['first-planted-token', 'second-planted-token']) {
      await vault.set('TOKEN', token);
      await box.restart('web');
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
});
