import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../core/json/json.ts';
import { redactedDocument } from './redacted-document.ts';

const random = 'a8Zk3Pq9Lm2Xv7Bn4Td6Yw1';

describe('redactedDocument', () => {
  test('keeps references and removes secrets at any location', () => {
    const shown = redactedDocument({
      mcpServers: {
        files: {
          command: 'npx',
          args: ['-y', 'x', '--api-key', 'hunter2', '--token=abc', '--port', '80', '--key', '${secret:K}', random],
          env: { A: 'plain', B: '${env:B}', C: 'pre-${C:-fallback}', D: '' },
          timeoutMs: 5,
        },
        web: {
          url: 'https://ada:pw@host/p?api_key=xyz&page=2&token=${secret:T}',
          headers: { Authorization: 'Bearer abc', 'X-A': '${secret:A}' },
          auth: { type: 'bearer', token: 'Bearer ${secret:SEARCH}' },
          disabled: false,
        },
        other: { auth: { type: 'oauth', clientId: 'me', clientSecret: '${env:S}', redirectPort: 1234 } },
      },
      store: 'postgres://u:${secret:PW}@db/x',
      results: { maxBytes: 10 },
      password: 12_345,
    });
    assert.deepEqual(shown, {
      mcpServers: {
        files: {
          command: 'npx',
          args: [
            '-y',
            'x',
            '--api-key',
            '[redacted]',
            '--token=[redacted]',
            '--port',
            '80',
            '--key',
            '${secret:K}',
            '[redacted]',
          ],
          env: { A: '[redacted]', B: '${env:B}', C: '[redacted]${C:-[redacted]}', D: '' },
          timeoutMs: 5,
        },
        web: {
          url: 'https://[redacted]@host/p?api_key=[redacted]&page=2&token=${secret:T}',
          headers: { Authorization: 'Bearer [redacted]', 'X-A': '${secret:A}' },
          auth: { type: 'bearer', token: 'Bearer ${secret:SEARCH}' },
          disabled: false,
        },
        other: { auth: { type: 'oauth', clientId: 'me', clientSecret: '${env:S}', redirectPort: 1234 } },
      },
      store: 'postgres://[redacted]${secret:PW}@db/x',
      results: { maxBytes: 10 },
      password: '[redacted]',
    });
  });

  test('never contains a value of env, of headers, or of a key that names a secret', () => {
    const canary = 'canary';
    const place = fc.constantFrom(
      (value: string): JsonObject => ({ mcpServers: { a: { env: { X: value } } } }),
      (value: string): JsonObject => ({ mcpServers: { a: { headers: { 'X-Y': value } } } }),
      (value: string): JsonObject => ({ mcpServers: { a: { auth: { type: 'bearer', token: value } } } }),
      (value: string): JsonObject => ({ mcpServers: { a: { args: ['--password', value] } } }),
      (value: string): JsonObject => ({ mcpServers: { a: { env: { X: { deep: [value] } } } } }),
    );
    fc.assert(
      fc.property(place, fc.string(), fc.string(), (document, before, after) => {
        fc.pre(!/\$\{[^}]*$/.test(before) || !after.includes('}'));
        assert.ok(!JSON.stringify(redactedDocument(document(before + canary + after))).includes(canary));
      }),
      { seed: 5, numRuns: 500 },
    );
  });
});
