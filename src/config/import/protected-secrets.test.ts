import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { resolveReferences } from '../references.ts';
import { ImportedSecrets } from './imported-secrets.ts';
import { protectedArguments, protectedUrl, protectedValue } from './protected-secrets.ts';

function createHolder(server = 'box', secrets = new ImportedSecrets()) {
  const notes: string[] = [];
  return { server, secrets, notes, note: (text: string) => void notes.push(text) };
}

suite('a secret of another client', () => {
  test('is not copied from a variable or a header with its name or format', () => {
    const cases: readonly (readonly [string, string, string])[] = [
      ['DB_PASSWORD', 'x', '${secret:DB_PASSWORD}'],
      ['OPENAI_KEY', 'x', '${secret:OPENAI_KEY}'],
      ['API_KEY', 'x', '${secret:BOX_API_KEY}'],
      ['HARMLESS', `ghp_${'a'.repeat(36)}`, '${secret:HARMLESS}'],
      ['Authorization', 'Bearer abc', 'Bearer ${secret:BOX_TOKEN}'],
      ['DB_PASSWORD', '${env:X:-literal}', '${env:X}'],
    ];
    for (const [key, value, expected] of cases) {
      const { notes, ...rest } = createHolder();
      assert.equal(protectedValue(key, value, rest), expected);
      assert.equal(notes.length, 1, key);
    }
  });

  test('is not assumed in a reference or a plain value', () => {
    for (const [key, value] of [
      ['API_KEY', '${env:MINE}'],
      ['Authorization', 'Bearer ${env:MINE}'],
      ['REGION', 'eu-west-1'],
      ['LEVEL', '${env:LEVEL:-debug}'],
      ['API_KEY', ''],
      ['max_tokens', '100'],
    ] as const) {
      const { notes, ...rest } = createHolder();
      assert.equal(protectedValue(key, value, rest), value);
      assert.deepEqual(notes, []);
    }
  });

  test('is not copied from arguments', () => {
    const { notes, ...rest } = createHolder();
    const args = [
      '--api-key',
      'abc',
      '--token=def',
      '--header',
      'Authorization: Bearer xyz',
      '--port',
      '80',
      'plain',
      '-c',
      'run --db postgres://me:hunter2hunter2@db/x',
      '--url',
      'https://x.example/mcp?api_key=abcd',
      'https://me:hunter2hunter2@x.example',
    ];
    assert.deepEqual(protectedArguments(args, rest), [
      '--api-key',
      '${secret:BOX_API_KEY}',
      '--token=${secret:BOX_TOKEN}',
      '--header',
      'Authorization: Bearer ${secret:BOX_TOKEN_2}',
      '--port',
      '80',
      'plain',
      '-c',
      'run --db postgres://me:${secret:BOX_URL_PASSWORD}@db/x',
      '--url',
      'https://x.example/mcp?api_key=${secret:BOX_API_KEY_2}',
      'https://me:${secret:BOX_URL_PASSWORD}@x.example',
    ]);
    assert.equal(notes.length, 6);
  });

  test('is not copied from an address', () => {
    assert.equal(
      protectedUrl('https://me:hunter2hunter2@x.example/mcp?api_key=abc&page=2', createHolder()),
      'https://me:${secret:BOX_URL_PASSWORD}@x.example/mcp?api_key=${secret:BOX_API_KEY}&page=2',
    );
    const referring = 'https://me:${env:PASS}@x.example/mcp';
    assert.equal(protectedUrl(referring, createHolder()), referring);
  });

  test('has its own name; the same secret is stored once', () => {
    const secrets = new ImportedSecrets();
    assert.equal(protectedValue('GITHUB_TOKEN', 'one', createHolder('home', secrets)), '${secret:GITHUB_TOKEN}');
    assert.equal(protectedValue('GITHUB_TOKEN', 'two', createHolder('work', secrets)), '${secret:WORK_GITHUB_TOKEN}');
    assert.equal(protectedValue('GITHUB_TOKEN', 'one', createHolder('other', secrets)), '${secret:GITHUB_TOKEN}');
  });

  test('is collected, so that its references resolve to the original text', async () => {
    const token = fc.stringMatching(/^[A-Za-z0-9]{36}$/);
    const piece = fc.oneof(
      fc.stringMatching(/^[a-z /:=&?@,.-]{0,12}$/),
      token.map((letters) => `ghp_${letters}`),
      token.map((letters) => `https://me:p-${letters}@db.example/x?page=2`),
      token.map((letters) => `https://me:p-ghp_${letters}@db.example/x`),
      token.map((letters) => `Bearer ${letters}`),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 4 }), async (pieces) => {
        const text = ['text', ...pieces].join(' ');
        const secrets = new ImportedSecrets();
        const { notes, ...rest } = createHolder('box', secrets);
        const shown = [
          protectedValue('API_KEY', text, rest),
          protectedValue('HARMLESS', text, rest),
          protectedUrl(text, rest),
          ...protectedArguments(['--token', text, '-c', text], rest),
        ];
        for (const each of shown) assert.doesNotMatch(each, /[A-Za-z0-9]{36}/);
        const secret = async (name: string) => secrets.valuesOf([name]).get(name);
        const resolved = await Promise.all(
          shown.map(async (each) => (await resolveReferences(each, { environment: {}, secret }, 'x')).text),
        );
        assert.deepEqual(resolved, [text, text, text, '--token', text, '-c', text], notes.join());
      }),
      { numRuns: 300, seed: 3 },
    );
  });

  test('is not collected when it contains references or is too short to be redacted', () => {
    const secrets = new ImportedSecrets();
    const { notes, ...rest } = createHolder('box', secrets);
    protectedValue('DB_PASSWORD', 'mine-${env:X}', rest);
    protectedValue('PIN_SECRET', '123', rest);
    assert.deepEqual(notes, [
      'a secret is not copied: run signalbox secret set DB_PASSWORD',
      'a secret is not copied: run signalbox secret set PIN_SECRET',
    ]);
    assert.equal(secrets.valuesOf(['DB_PASSWORD', 'PIN_SECRET']).size, 0);
  });

  test('never gets the name of an existing secret', () => {
    const secrets = new ImportedSecrets(['GITHUB_TOKEN']);
    assert.equal(
      protectedValue('GITHUB_TOKEN', 'one two three', createHolder('home', secrets)),
      '${secret:HOME_GITHUB_TOKEN}',
    );
    assert.equal(
      protectedValue('GITHUB_TOKEN', 'one two three', createHolder('work', secrets)),
      '${secret:WORK_GITHUB_TOKEN}',
    );
  });
});
