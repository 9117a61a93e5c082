import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { sendModern } from '../mcp-clients/raw.ts';
import { startAuthorizationServer } from '../support/http/authorization-server.ts';
import { CliProject, waitForOutput } from './cli-project.ts';

suite('signalbox serve with an authorization server', () => {
  test('accepts its tokens, and rejects them once the configuration removes it', async (t) => {
    const issuer = await startAuthorizationServer(t);
    const profiles = { coding: { tools: ['ping'] } };
    const issuers = [{ issuer: issuer.issuer, scopes: { use: {}, code: { profile: 'coding' } } }];
    const project = new CliProject({ 'signalbox.config.json': JSON.stringify({ profiles, oauth: { issuers } }) });
    const { url, child, stop } = await project.serve();
    const token = await issuer.token(`${url}/mcp`, { claims: { scope: 'code' } });
    const call = async (path: string): Promise<number> => {
      const headers = { Authorization: `Bearer ${token}` };
      const params = { name: 'mcp__signalbox__ping', arguments: {} };
      return (await sendModern(new URL(path, url), 'tools/call', params, { headers })).status;
    };
    assert.deepEqual([await call('/mcp'), await call('/mcp/coding')], [200, 200]);
    const changed = waitForOutput(child.stderr, /configuration changed: changed the OAuth settings/);
    writeFileSync(join(project.directory, 'signalbox.config.json'), JSON.stringify({ profiles }));
    await changed;
    assert.equal(await call('/mcp'), 401);
    const { stdout, stderr } = await stop();
    const [, , signature = ''] = token.split('.');
    const database = readFileSync(join(project.data, 'signalbox.db'), 'latin1');
    for (const text of [stdout, stderr, database]) assert.ok(!text.includes(signature));
  });

  test('reports invalid OAuth settings with their location', async () => {
    const oauth = {
      issuers: [{ issuer: 'https://a.example', scopes: { x: { profile: 'codin' } } }, { issuer: 'https://a.example' }],
    };
    const project = new CliProject({ 'signalbox.config.json': JSON.stringify({ profiles: { coding: {} }, oauth }) });
    const { code, stderr } = await project.run(['serve', '--port', '0']);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /oauth\.issuers\[0\]\.scopes\.x\.profile.*there is no profile "codin".*did you mean "coding"\?/,
    );
    assert.match(stderr, /oauth\.issuers\[1\]\.issuer.*the issuer is listed twice/);
  });
});
