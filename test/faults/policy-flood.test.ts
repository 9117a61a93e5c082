import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { token } from '../mcp-clients/serving.ts';
import { freezeMs } from '../support/faults.ts';
import { within } from '../support/within.ts';
import type { Fared } from './mcp-endpoint-process.ts';

const rule = (at: number): string =>
  `- id: r${at}\n  match: mcp__x__t${at}\n  deny: "args.a > ${at} && session.count('mcp__x__y') > 2"\n`;
// Escapes make it larger on the way.
const room = 800_000;

function filled(unit: (at: number) => string): string {
  let text = '';
  for (let at = 0; text.length < room; at += 1) text += unit(at);
  return text.slice(0, room);
}

const bombs: Record<string, object> = {
  'rules by the thousand': { text: filled(rule) },
  'rules that are all wrong': { text: filled((at) => `- {id: ${at}, nonsense: [1]}\n`) },
  'what is no YAML in every line': { text: filled(() => 'x: }{ ]\n') },
  'YAML that refers to itself': {
    text: `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_, at) => `b${at}: &b${at} [${`*${at === 0 ? 'a' : `b${at - 1}`},`.repeat(9)}]\n`).join('')}`,
  },
  'nesting without end': { text: '['.repeat(room / 6) },
  'rules as objects': { rules: Array.from({ length: 5000 }, (_, at) => ({ id: `r${at}`, match: 'x', deny: 'true' })) },
  'a condition without end': { rules: [{ id: 'a', match: 'x', deny: `${'('.repeat(200_000)}true` }] },
  'a sum without end': { rules: [{ id: 'a', match: 'x', deny: filled(() => 'args.a + 1 + ') }] },
};

suite('rules from whoever may read', { timeout: 300_000 }, () => {
  let child: ChildProcess;
  let url: string;
  before(async () => {
    child = fork(join(import.meta.dirname, 'mcp-endpoint-process.ts'), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    [url] = (await within(once(child, 'message'), 'the start of the server')) as [string];
    for (let time = 0; time < 50; time += 1) assert.equal((await post('check', { text: rule(time) })).status, 200);
    await fared();
  });
  after(() => child.disconnect());

  function post(what: string, body: object): Promise<Response> {
    return fetch(`${url}/api/policies/${what}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  async function fared(): Promise<Fared> {
    child.send('how');
    const [answer] = (await within(once(child, 'message'), 'how the server fares')) as [Fared];
    return answer;
  }

  for (const [name, body] of Object.entries(bombs))
    test(`${name}: a megabyte is looked at beside everything else, and nobody else waits for it`, async () => {
      const response = await post('check', body);
      const told = (await response.json()) as { valid?: boolean; problems?: unknown[]; code?: string };
      if (response.status === 200) assert.ok((told.problems?.length ?? 0) <= 200);
      else assert.match(`${response.status} ${told.code}`, /^400 (policy-invalid|request-invalid)$/);
      const { longestMs, logged } = await fared();
      assert.deepEqual(logged, []);
      assert.ok(longestMs < freezeMs, `nobody else was served for ${longestMs} ms of processor time`);
    });

  test('more than a megabyte is refused, and a backtest of more than 64 KB; many checks at once are too', async () => {
    assert.equal((await post('check', { text: 'x'.repeat(1024 * 1024) })).status, 413);
    assert.equal((await post('backtest', { text: filled(rule) })).status, 413);
    assert.equal((await post('backtest', { text: '['.repeat(60_000) })).status, 400);
    assert.ok((await fared()).longestMs < freezeMs, 'what is wrong is found beside everything else');
    const many = await Promise.all(
      Array.from({ length: 20 }, () => post('check', { text: filled(rule).slice(0, 100_000) })),
    );
    assert.deepEqual(new Set(many.map(({ status }) => status)), new Set([200, 503]));
    assert.equal((await post('check', { text: rule(1) })).status, 200, 'and then all is well');
    assert.deepEqual((await fared()).logged, []);
  });
});
