import assert from 'node:assert/strict';
import { type TestContext, describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type AuthorizationServer,
  startAuthorizationServer,
  createSigningKey,
} from '../../../../test/support/http/authorization-server.ts';
import { seeded } from '../../../../test/support/seeded.ts';
import { Problem } from '../../problems/problem.ts';
import { OAuthAccess } from './oauth-access.ts';

const resource = { origin: 'https://box.example', profile: undefined };
const address = 'https://box.example/mcp';

async function trustedIssuer(
  t: TestContext,
): Promise<{ issuer: AuthorizationServer; accepts: (text: string) => Promise<boolean> }> {
  const issuer = await startAuthorizationServer(t);
  const settings = { issuers: [{ issuer: issuer.issuer }] };
  const access = new OAuthAccess({ settings: () => settings, log: assert.fail });
  const accepts = async (text: string): Promise<boolean> => {
    try {
      await access.identify(text, resource);
      return true;
    } catch (error) {
      assert.ok(error instanceof Problem, `${text}: ${String(error)}`);
      assert.ok(error.status === 401 || error.status === 403, error.code);
      return false;
    }
  };
  return { issuer, accepts };
}

type Random = () => number;

function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}

/** Returns the token with a mutation: in its characters, its bytes, its JSON or its parts. */
function mutated(token: string, random: Random): string {
  const parts = token.split('.');
  const which = below(random, 3);
  const part = parts[which] ?? '';
  const withPart = (text: string): string => parts.with(which, text).join('.');
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=.~ %\u00e9';
  const letter = letters[below(random, letters.length)] ?? '';
  const at = below(random, part.length);
  const bytes = Buffer.from(part, 'base64url');
  const json = (change: (value: Record<string, unknown>) => unknown): string => {
    const index = below(random, 2);
    const value = JSON.parse(Buffer.from(parts[index] ?? '', 'base64url').toString()) as Record<string, unknown>;
    return parts.with(index, Buffer.from(JSON.stringify(change(value))).toString('base64url')).join('.');
  };
  const values = ['none', 'HS256', 'ES256', 'RS256', 'NONE', '', null, 0, 9_999_999_999, [], {}, 'admin', address];
  const names = [
    'alg',
    'kid',
    'typ',
    'iss',
    'aud',
    'sub',
    'exp',
    'nbf',
    'iat',
    'scope',
    'crit',
    'b64',
    'jwk',
    'jku',
    'x5c',
  ];
  const kinds = [
    () => withPart(part.slice(0, at) + letter + part.slice(at + 1)),
    () => withPart(part.slice(0, at) + letter + part.slice(at)),
    () => withPart(part.slice(0, at) + part.slice(at + 1)),
    () => withPart(part.slice(0, at)),
    () => withPart(`${part}${'='.repeat(1 + below(random, 3))}`),
    () => {
      const flipped = Buffer.from(bytes);
      const place = below(random, flipped.length);
      flipped[place] = (flipped[place] ?? 0) ^ (1 << below(random, 8));
      return withPart(flipped.toString('base64url'));
    },
    () => withPart(Buffer.concat([bytes, Buffer.alloc(1 + below(random, 4))]).toString('base64url')),
    () => withPart(bytes.subarray(0, below(random, bytes.length)).toString('base64url')),
    () => withPart(Buffer.alloc(bytes.length).toString('base64url')),
    () =>
      json((value) => ({ ...value, [names[below(random, names.length)] ?? '']: values[below(random, values.length)] })),
    () => json((value) => Object.fromEntries(Object.entries(value).toSpliced(below(random, 4), 1))),
    () => json((value) => Object.fromEntries(Object.entries(value).toReversed())),
    () => json((value) => [value]),
    () => [parts[1], parts[0], parts[2]].join('.'),
    () => parts.slice(0, 2).join('.'),
    () => `${parts[0]}.${parts[1]}.`,
    () => `${token}.${part}`,
    () => `${token}${letter}`,
    () => `${letter}${token}`,
  ];
  return kinds[below(random, kinds.length)]?.() ?? '';
}

describe('OAuthAccess with forged tokens', () => {
  for (const algorithm of ['RS256', 'ES256', 'EdDSA'])
    it(`accepts none of 3,000 mutations of a valid token (${algorithm})`, async (t) => {
      const { issuer, accepts } = await trustedIssuer(t);
      issuer.keys = [await createSigningKey('first', algorithm)];
      const valid = await issuer.token(address);
      assert.ok(await accepts(valid));
      const random = seeded(728);
      let tried = 0;
      while (tried < 3000) {
        const forged = mutated(valid, random);
        if (forged === valid) continue;
        tried += 1;
        assert.ok(!(await accepts(forged)), forged);
      }
      assert.ok(await accepts(valid));
      // The last character has unused bits, but only one encoding of a signature is accepted.
      for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
        assert.equal(await accepts(valid.slice(0, -1) + last), valid.endsWith(last), last);
    });

  it('refuses recombined parts of valid tokens', async (t) => {
    const { issuer, accepts } = await trustedIssuer(t);
    const tokens = await Promise.all(
      ['alice', 'bob', 'carol'].map((sub) => issuer.token(address, { claims: { sub } })),
    );
    for (const [a, head] of tokens.entries())
      for (const [b, body] of tokens.entries())
        for (const [c, signed] of tokens.entries()) {
          const mixed = [head.split('.')[0], body.split('.')[1], signed.split('.')[2]].join('.');
          assert.equal(await accepts(mixed), b === c, `${a} ${b} ${c}`);
        }
  });
});

describe('OAuthAccess with signed tokens', () => {
  it('accepts a token exactly when all its claims are valid', async (t) => {
    const { issuer, accepts } = await trustedIssuer(t);
    const now = Math.floor(Date.now() / 1000);
    const claim = (valid: readonly unknown[], invalid: readonly unknown[]) =>
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...valid).map((value) => ({ value, isValid: true })) },
        { weight: 1, arbitrary: fc.constantFrom(...invalid).map((value) => ({ value, isValid: false })) },
      );
    const claims = fc.record({
      iss: claim([issuer.issuer], [`${issuer.issuer}/`, 'https://evil.example', '', 1, null, [issuer.issuer]]),
      aud: claim(
        [address, ['x', address]],
        ['x', [], `${address}/`, `${address}/coding`, 'https://box.example', null, 5],
      ),
      sub: claim(['alice', 'é', '../x'], ['', null, 7, 'x'.repeat(256), {}]),
      exp: claim([now + 600, now - 5], [now - 120, null, 'never', undefined]),
      nbf: claim([undefined, now - 1, now + 5], [now + 300, 'x', null]),
      iat: claim([now, undefined], [now + 300, 'x']),
      scope: claim(
        ['signalbox:agent', 'a signalbox:agent b', ['signalbox:agent']],
        ['', 'signalbox', 'signalbox:agentx', 7, null],
      ),
      cnf: claim([undefined], [{ jkt: 'x' }, null, '']),
    });
    const property = fc.asyncProperty(claims, async (made) => {
      const entries = Object.entries(made);
      const claimValues = Object.fromEntries(entries.map(([name, { value }]) => [name, value]));
      const isValid = entries.every(([, each]) => each.isValid);
      assert.equal(await accepts(await issuer.token(address, { claims: claimValues })), isValid);
    });
    await fc.assert(property, { seed: 9728, numRuns: 600 });
  });
});
