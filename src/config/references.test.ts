import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { referencedSecrets, resolveReferences } from './references.ts';

const sources = {
  environment: { TOKEN: 'secret-value', HOST: 'example.org', EMPTY: '' },
  secret: async (name: string) => (name === 'KEPT' ? 'kept-value $& ${TOKEN}' : undefined),
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
    test(`${text} is ${JSON.stringify(resolved)}`, async () => assert.equal(await resolve(text), resolved));
  }

  test('one that is not set is named, with the place that refers to it', async () => {
    await assert.rejects(
      resolve('${env:MISSING}'),
      /the environment variable MISSING is not set, to which mcpServers\.a\.env\.B refers/,
    );
    await assert.rejects(resolve('${EMPTY}'), /EMPTY is not set/);
  });

  test('other kinds of references are refused rather than passed on', async () => {
    await assert.rejects(resolve('${input:key}'), /\$\{input:key\}, which cannot be resolved/);
    await assert.rejects(resolve('${oauth:KEPT}'), /cannot be resolved/);
  });

  test('it is told which values were used, and from where', async () => {
    assert.deepEqual((await resolveReferences('${TOKEN}@${secret:KEPT}', sources, '')).used, [
      { source: 'env', name: 'TOKEN', value: 'secret-value' },
      { source: 'secret', name: 'KEPT', value: 'kept-value $& ${TOKEN}' },
    ]);
  });
});

describe('references to secrets', () => {
  test('are replaced by the value as it is, which is not looked into', async () => {
    assert.equal(await resolve('Bearer ${secret:KEPT}/${HOST}'), 'Bearer kept-value $& ${TOKEN}/example.org');
  });

  test('one that is missing is named, with the place that refers to it and the command to run', async () => {
    await assert.rejects(
      resolve('${secret:OTHER}'),
      /the secret OTHER is not set, to which mcpServers\.a\.env\.B refers; run signalbox secret set OTHER/,
    );
  });

  test('are found in a text', () => {
    assert.deepEqual(referencedSecrets('${secret:A} ${env:B} ${secret:A} ${secret:C:-x}'), ['A', 'C']);
  });
});
