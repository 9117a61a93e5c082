import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ConfigurationError } from '../configuration-error.ts';
import { parseConfiguration } from '../file/load-configuration.ts';
import { configurationSchema } from './configuration-schema.ts';

test('the published schema accepts and rejects the same documents as loading', () => {
  const validate = new Ajv2020().compile(configurationSchema());
  const withAuth = (auth: object): object => ({ mcpServers: { a: { url: 'https://x', auth } } });
  const valid = [
    {},
    withAuth({ type: 'oauth', clientId: 'x', clientSecret: '${env:X}', issuer: 'https://y', redirectPort: 1 }),
    withAuth({ type: 'bearer', token: 'x' }),
    { agents: { default: 'a', a: { runtime: 'claude' }, b: { runtime: 'model', model: 'demo' } } },
    { profiles: { coding: { servers: ['a'], tools: ['!*'], disclosure: 'auto', trustsHuman: false } } },
    {
      oauth: {
        url: 'https://box.example',
        issuers: [
          {
            issuer: 'https://auth.example/realms/a',
            audience: 'x',
            jwksUrl: 'https://auth.example/keys',
            claim: 'roles',
          },
          { issuer: 'http://127.0.0.1:8080', audience: ['x', 'y'], algorithms: ['RS256'], scopes: { use: {} } },
        ],
      },
    },
    { undo: { maxFiles: 1, maxBytes: 1, maxMs: 1, keepMs: 1, keepBytes: 1 } },
    { $schema: 'x', mcpServers: { demo: { module: 'x' }, a_b: { npm: 'y' } }, store: 'postgres://x', secrets: ['A'] },
  ];
  const invalid = [
    withAuth({ type: 'oauth', clientSecret: 'x' }),
    withAuth({ type: 'bearer' }),
    withAuth({ type: 'oath' }),
    { stroe: 1 },
    { store: 'mysql' },
    { mcpServers: { a__b: { module: 'x' } } },
    { mcpServers: { a: { modul: 'x' } } },
    { results: { maxBytes: 0 } },
    { undo: { maxFiles: 0 } },
    { undo: { files: 1 } },
    { agents: { default: 1 } },
    { agents: { a: { runtime: 'other' } } },
    { agents: { a: { runtime: 'model', model: 'x/y', providers: { x: { apiKey: 'sk-1' } } } } },
    { profiles: { coding: { server: [] } } },
    { oauth: { issuers: [] } },
    { oauth: { issuers: [{ issuer: 'http://auth.example' }] } },
    { oauth: { issuers: [{ issuer: 'https://user@auth.example' }] } },
    { oauth: { issuers: [{ issuer: 'https://auth.example?x' }] } },
    { oauth: { url: 'https://box.example/mcp', issuers: [{ issuer: 'https://auth.example' }] } },
    { oauth: { issuers: [{ issuer: 'https://auth.example', algorithms: ['HS256'] }] } },
    { oauth: { issuers: [{ issuer: 'https://auth.example', algorithms: ['none'] }] } },
    { oauth: { issuers: [{ issuer: 'https://auth.example', algorithms: [] }] } },
    { oauth: { issuers: [{ issuer: 'https://auth.example', scopes: { 'a"b': {} } }] } },
    { oauth: { issuers: [{ issuer: 'https://auth.example', scopes: { a: { role: 'admin' } } }] } },
    [],
  ];
  const load = (value: unknown): unknown => parseConfiguration(JSON.stringify(value), '/place/signalbox.config.json');
  for (const value of valid) {
    assert.ok(validate(value), JSON.stringify(validate.errors));
    assert.doesNotThrow(() => load(value), JSON.stringify(value));
  }
  for (const value of invalid) {
    assert.ok(!validate(value), JSON.stringify(value));
    assert.throws(() => load(value), ConfigurationError, JSON.stringify(value));
  }
});
