import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { referencedSecrets, resolveReferences } from './references.ts';

const sources = {
  environment: { TOKEN: 'secret-value', HOST: 'example.org', EMPTY: '' },
  secret: async (name: string) => (name === 'STORED' ? 'stored-value $& ${TOKEN}' : undefined),
};
const resolve = async (text: string): Promise<string> =>
  (await resolveReferences(text, sources, 'mcpServers.a.env.B')).text;

describe('references to environment variables', () => {
  for (const [text, resolved] of [
    ['plain', 'plain'],
    ['${env:TOKEN}', 'secret-value'],
    ['Bearer ${TOKEN}', 'Bearer secret-value'],
    ['https://${HOST}/${MISSING:-mcp}', 'https://example.org/mcp'],
    ['${EMPTY:-default}', 'default'],
    ['${MISSING:-}', ''],
    ['${env:MISSING:-x}', 'x'],
    ['$TOKEN $(TOKEN) {TOKEN}', '$TOKEN $(TOKEN) {TOKEN}'],
  ] as const) {
    test(`${text} resolves to ${JSON.stringify(resolved)}`, async () => assert.equal(await resolve(text), resolved));
  }

  test('that are not set are reported with the path that refers to them', async () => {
    await assert.rejects(
      resolve('${env:MISSING}'),
      /mcpServers\.a\.env\.B refers to the environment variable MISSING, which is not set/,
    );
    await assert.rejects(resolve('${EMPTY}'), /EMPTY, which is not set/);
  });

  test('of unknown kinds are rejected', async () => {
    await assert.rejects(resolve('${input:key}'), /\$\{input:key\}, which cannot be resolved/);
    await assert.rejects(resolve('${oauth:STORED}'), /cannot be resolved/);
  });

  test('are returned with the used values and their sources', async () => {
    assert.deepEqual((await resolveReferences('${TOKEN}@${secret:STORED}', sources, '')).used, [
      { source: 'env', name: 'TOKEN', value: 'secret-value' },
      { source: 'secret', name: 'STORED', value: 'stored-value $& ${TOKEN}' },
    ]);
  });
});

describe('references to secrets', () => {
  test('are replaced by the value, in which references are not resolved', async () => {
    assert.equal(await resolve('Bearer ${secret:STORED}/${HOST}'), 'Bearer stored-value $& ${TOKEN}/example.org');
  });

  test('that are missing are reported with the path that refers to them and the command to run', async () => {
    await assert.rejects(
      resolve('${secret:OTHER}'),
      /mcpServers\.a\.env\.B refers to the secret OTHER, which is not set; run signalbox secret set OTHER/,
    );
  });

  test('are found by referencedSecrets', () => {
    assert.deepEqual(referencedSecrets('${secret:A} ${env:B} ${secret:A} ${secret:C:-x}'), ['A', 'C']);
  });
});
