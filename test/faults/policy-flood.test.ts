import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { token } from '../mcp-clients/serving.ts';
import { freezeMs } from '../support/faults.ts';
import { within } from '../support/within.ts';
import type { ProcessHealth } from './mcp-endpoint-process.ts';

const rule = (index: number): string =>
  `- id: r${index}\n  match: mcp__x__t${index}\n  deny: "args.a > ${index} && session.count('mcp__x__y') > 2"\n`;
// Escapes enlarge the request.
const maxLength = 800_000;

function repeatToLimit(unit: (index: number) => string): string {
  let text = '';
  for (let index = 0; text.length < maxLength; index += 1) text += unit(index);
  return text.slice(0, maxLength);
}

const hostileRules: Record<string, object> = {
  'thousands of rules': { text: repeatToLimit(rule) },
  'only invalid rules': { text: repeatToLimit((index) => `- {id: ${index}, nonsense: [1]}\n`) },
  'invalid YAML in every line': { text: repeatToLimit(() => 'x: }{ ]\n') },
  'nested YAML aliases': {
    text: `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_, at) => `b${at}: &b${at} [${`*${at === 0 ? 'a' : `b${at - 1}`},`.repeat(9)}]\n`).join('')}`,
  },
  'deep nesting': { text: '['.repeat(maxLength / 6) },
  'rules as objects': { rules: Array.from({ length: 5000 }, (_, at) => ({ id: `r${at}`, match: 'x', deny: 'true' })) },
  'a condition with 200,000 parentheses': {
    rules: [{ id: 'a', match: 'x', deny: `${'('.repeat(200_000)}true` }],
  },
  'a condition with a huge sum': {
    rules: [{ id: 'a', match: 'x', deny: repeatToLimit(() => 'args.a + 1 + ') }],
  },
};

suite('policy checks of hostile rules', { timeout: 300_000 }, () => {
  let child: ChildProcess;
  let url: string;
  before(async () => {
    child = fork(join(import.meta.dirname, 'mcp-endpoint-process.ts'), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    [url] = (await within(once(child, 'message'), 'the start of the server')) as [string];
    for (let time = 0; time < 50; time += 1) assert.equal((await post('check', { text: rule(time) })).status, 200);
    await readHealth();
  });
  after(() => child.disconnect());

  function post(action: string, body: object): Promise<Response> {
    return fetch(`${url}/api/policies/${action}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  async function readHealth(): Promise<ProcessHealth> {
    child.send('health');
    const [health] = (await within(once(child, 'message'), 'the health of the server')) as [ProcessHealth];
    return health;
  }

  for (const [name, body] of Object.entries(hostileRules))
    test(`${name}: a megabyte is checked without blocking others`, async () => {
      const response = await post('check', body);
      const result = (await response.json()) as { valid?: boolean; problems?: unknown[]; code?: string };
      if (response.status === 200) assert.ok((result.problems?.length ?? 0) <= 200);
      else assert.match(`${response.status} ${result.code}`, /^400 (policy-invalid|request-invalid)$/);
      const { longestMs, logged } = await readHealth();
      assert.deepEqual(logged, []);
      assert.ok(longestMs < freezeMs, `the event loop was blocked for ${longestMs} ms of processor time`);
    });

  test('more than a megabyte, a backtest of more than 64 KB, and too many concurrent checks are rejected', async () => {
    assert.equal((await post('check', { text: 'x'.repeat(1024 * 1024) })).status, 413);
    assert.equal((await post('backtest', { text: repeatToLimit(rule) })).status, 413);
    assert.equal((await post('backtest', { text: '['.repeat(60_000) })).status, 400);
    assert.ok((await readHealth()).longestMs < freezeMs, 'mistakes are found without blocking the event loop');
    const many = await Promise.all(
      Array.from({ length: 20 }, () => post('check', { text: repeatToLimit(rule).slice(0, 100_000) })),
    );
    assert.deepEqual(new Set(many.map(({ status }) => status)), new Set([200, 503]));
    assert.equal((await post('check', { text: rule(1) })).status, 200, 'checks work again');
    assert.deepEqual((await readHealth()).logged, []);
  });
});
