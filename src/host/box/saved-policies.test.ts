import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, it } from 'node:test';
import { adminToken, bodyOf, startTestServer } from '../../../test/support/http/http-server.ts';
import { loadConfiguration } from '../../config/file/load-configuration.ts';
import type { PolicyFileText } from '../../config/file/policy-file.ts';
import { lockFile } from '../../config/lock/lock-file.ts';
import type { PolicySummary } from '../../pipeline/policies/active-policies.ts';
import type { ProblemDocument } from '../../server/problems/problem.ts';
import { openConfiguredBox } from './open-box.ts';

type PoliciesDocument = PolicySummary & { readonly file?: PolicyFileText };

const rule = '- id: quiet # a comment stays\n  deny: "true"\n';

/** Starts a server from a configuration file. */
async function startPlace(test: TestContext, configuration: object) {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-saved-'));
  test.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'signalbox.config.json');
  writeFileSync(file, JSON.stringify(configuration));
  writeFileSync(join(directory, 'rules.yaml'), '[]');
  const configured = await openConfiguredBox(loadConfiguration(file), { secretsFrom: directory });
  test.after(() => configured.close());
  const { get, send } = await startTestServer(test, { box: configured.box, configuration: configured });
  const put = (body: object): Promise<Response> => send(adminToken, 'PUT', '/api/policies', body);
  const read = (): Promise<PoliciesDocument> => bodyOf<PoliciesDocument>(get('/api/policies'));
  return { directory, file, configured, put, read };
}

describe('PUT /api/policies with save', () => {
  it('writes the policy file, whose rules are active immediately and after a reload', async (test) => {
    const { directory, file, configured, put, read } = await startPlace(test, { policies: './rules.yaml' });
    const saved = await bodyOf<PoliciesDocument>(put({ text: rule, save: true }));
    assert.equal(readFileSync(join(directory, 'rules.yaml'), 'utf8'), rule);
    assert.deepEqual(
      saved.rules.map(({ at }) => at),
      ['./rules.yaml:1'],
    );
    assert.deepEqual(saved.file?.text, rule);
    const again = await configured.reload(() => loadConfiguration(file));
    assert.deepEqual([again.status, (await read()).version], ['unchanged', saved.version]);
  });

  it('creates a missing policy file and adds it to the configuration', async (test) => {
    const { directory, file, put, read } = await startPlace(test, { mcpServers: {} });
    assert.equal((await read()).file?.text, '');
    assert.equal((await put({ text: rule, save: true })).status, 200);
    assert.equal(readFileSync(join(directory, 'policies.yaml'), 'utf8'), rule);
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { mcpServers: {}, policies: './policies.yaml' });
    assert.equal((await read()).rules.length, 1);
  });

  it('writes nothing when the rules are invalid, the file has changed, the lock is invalid, or the configuration contains the rules', async (test) => {
    const { directory, put, read } = await startPlace(test, { policies: './rules.yaml' });
    const code = async (response: Promise<Response>): Promise<string> => (await bodyOf<ProblemDocument>(response)).code;
    assert.equal(await code(put({ text: '- id: a\n  x: 1', save: true })), 'policy-invalid');
    const { fingerprint } = (await read()).file ?? {};
    writeFileSync(join(directory, 'rules.yaml'), '[] # meanwhile');
    assert.equal(await code(put({ text: rule, save: true, seen: fingerprint })), 'file-outdated');
    assert.equal(readFileSync(join(directory, 'rules.yaml'), 'utf8'), '[] # meanwhile');
    writeFileSync(lockFile(directory), '{');
    assert.notEqual((await put({ text: rule, save: true })).status, 200);
    assert.equal(readFileSync(join(directory, 'rules.yaml'), 'utf8'), '[] # meanwhile');
    rmSync(lockFile(directory));
    assert.equal((await put({ text: rule, save: true, seen: (await read()).file?.fingerprint })).status, 200);
    const inline = await startPlace(test, { policies: [{ id: 'a', deny: 'true' }] });
    assert.equal((await inline.read()).file, undefined);
    assert.equal(await code(inline.put({ text: rule, save: true })), 'setting-refused');
  });
});
