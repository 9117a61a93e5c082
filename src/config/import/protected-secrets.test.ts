import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { protectedArguments, protectedUrl, protectedValue } from './protected-secrets.ts';
import { SecretVariables } from './secret-variables.ts';

function holder(server = 'box', secrets = new SecretVariables()) {
  const notes: string[] = [];
  const context = { file: 'x', home: '/h', directory: '/p', secrets };
  return { server, context, notes, note: (text: string) => void notes.push(text) };
}

suite('a secret of another client', () => {
  test('is not copied from a variable or a header, by its name or by its form', () => {
    const cases: readonly (readonly [string, string, string])[] = [
      ['DB_PASSWORD', 'x', '${env:DB_PASSWORD}'],
      ['OPENAI_KEY', 'x', '${env:OPENAI_KEY}'],
      ['API_KEY', 'x', '${env:BOX_API_KEY}'],
      ['HARMLESS', `ghp_${'a'.repeat(36)}`, '${env:HARMLESS}'],
      ['Authorization', 'Bearer abc', 'Bearer ${env:BOX_TOKEN}'],
      ['DB_PASSWORD', '${env:X:-literal}', '${env:X}'],
    ];
    for (const [key, value, expected] of cases) {
      const { notes, ...rest } = holder();
      assert.equal(protectedValue(key, value, rest), expected);
      assert.equal(notes.length, 1, key);
    }
  });

  test('a reference and a plain value stay as they are', () => {
    for (const [key, value] of [
      ['API_KEY', '${env:MINE}'],
      ['Authorization', 'Bearer ${env:MINE}'],
      ['REGION', 'eu-west-1'],
      ['LEVEL', '${env:LEVEL:-debug}'],
      ['API_KEY', ''],
      ['max_tokens', '100'],
    ] as const) {
      const { notes, ...rest } = holder();
      assert.equal(protectedValue(key, value, rest), value);
      assert.deepEqual(notes, []);
    }
  });

  test('is not copied from arguments', () => {
    const { notes, ...rest } = holder();
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
    ];
    assert.deepEqual(protectedArguments(args, rest), [
      '--api-key',
      '${env:BOX_API_KEY}',
      '--token=${env:BOX_TOKEN}',
      '--header',
      'Authorization: Bearer ${env:BOX_TOKEN_2}',
      '--port',
      '80',
      'plain',
      '-c',
      'run --db postgres://me:${env:BOX_URL_PASSWORD}@db/x',
    ]);
    assert.equal(notes.length, 4);
  });

  test('is not copied from an address', () => {
    assert.equal(
      protectedUrl('https://me:hunter2hunter2@x.example/mcp?api_key=abc&page=2', holder()),
      'https://me:${env:BOX_URL_PASSWORD}@x.example/mcp?api_key=${env:BOX_API_KEY}&page=2',
    );
    const referring = 'https://me:${env:PASS}@x.example/mcp';
    assert.equal(protectedUrl(referring, holder()), referring);
  });

  test('two different secrets of one name get two variables, the same secret one', () => {
    const secrets = new SecretVariables();
    assert.equal(protectedValue('GITHUB_TOKEN', 'one', holder('home', secrets)), '${env:GITHUB_TOKEN}');
    assert.equal(protectedValue('GITHUB_TOKEN', 'two', holder('work', secrets)), '${env:WORK_GITHUB_TOKEN}');
    assert.equal(protectedValue('GITHUB_TOKEN', 'one', holder('other', secrets)), '${env:GITHUB_TOKEN}');
  });
});
