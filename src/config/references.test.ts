import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { resolveReferences } from './references.ts';

const environment = { TOKEN: 'secret-value', HOST: 'example.org', EMPTY: '' };
const resolve = (text: string): string => resolveReferences(text, environment, 'mcpServers.a.env.B').text;

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
    test(`${text} is ${JSON.stringify(resolved)}`, () => assert.equal(resolve(text), resolved));
  }

  test('one that is not set is named, with the place that refers to it', () => {
    assert.throws(
      () => resolve('${env:MISSING}'),
      /the environment variable MISSING is not set, to which mcpServers\.a\.env\.B refers/,
    );
    assert.throws(() => resolve('${EMPTY}'), /EMPTY is not set/);
  });

  test('other kinds of references are refused rather than passed on', () => {
    assert.throws(() => resolve('${secret:TOKEN}'), /\$\{secret:TOKEN\}, which this version cannot resolve/);
    assert.throws(() => resolve('${input:key}'), /cannot resolve/);
  });

  test('it is told which variables were used', () => {
    assert.deepEqual(resolveReferences('${TOKEN}@${HOST}', environment, '').used, {
      TOKEN: 'secret-value',
      HOST: 'example.org',
    });
  });
});
