import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { type Message, begin, messageOf, send, sendModern } from '../mcp-clients/raw.ts';
import { token } from '../mcp-clients/serving.ts';
import { freezeMs, isFull } from '../support/faults.ts';
import { seeded } from '../support/seeded.ts';
import { within } from '../support/within.ts';
import { malformedBody } from './malformed-bodies.ts';
import type { ProcessHealth } from './mcp-endpoint-process.ts';

const inputCount = isFull() ? 10_000 : 2000;
const modern = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'mcp__fixture__echo' };
const echo = { name: 'mcp__fixture__echo', arguments: { text: 'hello' } };

interface InputRequired {
  readonly requestState: string;
  readonly inputRequests: Readonly<Record<string, unknown>>;
}

suite('invalid input at the MCP endpoint', { timeout: 900_000 }, () => {
  let child: ChildProcess;
  let url: URL;
  before(async () => {
    child = fork(join(import.meta.dirname, 'mcp-endpoint-process.ts'), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [base] = (await within(once(child, 'message'), 'the start of the endpoint')) as [string];
    url = new URL('/mcp', base);
    // The first requests take longer.
    for (let round = 0; round < 200; round += 1) await (await sendModern(url, 'tools/call', echo)).text();
    const { requestState, inputRequests } = (await messageOf(callPay())).result as unknown as InputRequired;
    const [key = ''] = Object.keys(inputRequests);
    const inputResponses = { [key]: { action: 'accept', content: { allow: false } } };
    await (await callPay({ requestState, inputResponses })).text();
    await readHealth();
  });
  after(() => child.disconnect());

  /** Makes a call that first asks its caller. */
  function callPay(answer: object = {}): Promise<Response> {
    const pay = { name: 'mcp__fixture__pay', arguments: { amount: 5 } };
    const more = { capabilities: { elicitation: { form: {} } } };
    return sendModern(new URL('/mcp/trusting', url), 'tools/call', { ...pay, ...answer }, more);
  }

  async function readHealth(): Promise<ProcessHealth> {
    child.send('health');
    const [health] = (await within(once(child, 'message'), 'the health of the endpoint')) as [ProcessHealth];
    return health;
  }

  /** Asserts that the process was never blocked, logged nothing, and serves the next request. */
  async function assertUnharmed(): Promise<void> {
    const { longestMs, logged } = await readHealth();
    assert.deepEqual(logged, []);
    assert.ok(longestMs < freezeMs, `the event loop was blocked for ${longestMs} ms of processor time`);
    assert.equal((await messageOf(sendModern(url, 'tools/call', echo))).result?.content?.[0]?.text, 'hello');
  }

  /** Repeats an action, several at a time. */
  async function repeat(count: number, action: (number: number) => Promise<void>): Promise<void> {
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < count) await action((next += 1));
    };
    await Promise.all(Array.from({ length: 16 }, work));
  }

  test('malformed bodies of every kind are rejected with the right code, and do not block others', async () => {
    const random = seeded(2026);
    const session = await begin(url);
    const kinds = new Set<string>();
    await repeat(inputCount, async () => {
      const { kind, body, code } = malformedBody(random);
      kinds.add(kind);
      const response = await send(url, body, random() < 0.5 ? session : modern);
      const text = await response.text();
      assert.equal(response.status, 400, `${kind}: ${String(body).slice(0, 200)} ${text}`);
      const { error } = JSON.parse(text) as Message;
      assert.equal(error?.code, code, `${kind}: ${String(body).slice(0, 200)} ${text}`);
    });
    assert.equal(kinds.size, 9);
    await assertUnharmed();
  });

  test('deeply nested and huge bodies are rejected before they are parsed, and do not block others', async () => {
    const half = 4 * 1024 * 1024 - 10;
    const bodies = [
      '['.repeat(half) + ']'.repeat(half),
      '{"a":'.repeat(half / 5),
      `[${'[],'.repeat(half / 3)}[]]`,
      `[${'1,'.repeat(half)}1]`,
      `{${Array.from({ length: 400_000 }, (_, at) => `"${at}":1`).join()}}`,
    ];
    for (const body of bodies) {
      const response = await send(url, body, modern);
      assert.equal(response.status, 400);
      assert.equal((await messageOf(response)).error?.code, -32_600);
    }
    await assertUnharmed();
  });

  test('the largest bodies, of any characters, are read in steps, and do not block others', async () => {
    const maxBytes = 8 * 1024 * 1024 - 100;
    for (const unit of ['a', 'é', String.raw`\"`, String.raw`\\`, String.raw`\n`, String.raw`\u00e9`]) {
      const body = `"${unit.repeat(Math.floor(maxBytes / Buffer.byteLength(unit)))}"`;
      const durations: number[] = [];
      // A busy machine can only increase the time, so the minimum of a few runs counts.
      while (durations.length < 5 && Math.min(...durations) >= freezeMs) {
        const response = await send(url, body, modern);
        assert.equal(response.status, 400);
        assert.equal((await messageOf(response)).error?.code, -32_600);
        durations.push((await readHealth()).longestMs);
      }
      assert.ok(
        Math.min(...durations) < freezeMs,
        `${unit}: the event loop was blocked for ${durations.join(', ')} ms of processor time`,
      );
    }
    await assertUnharmed();
  });

  test('bodies of 100 MB, announced or not, are rejected with 413 and not read to their end', async () => {
    const total = 100 * 1024 * 1024;
    const piece = Buffer.alloc(1024 * 1024, 'x');
    for (const headers of [{ 'Content-Length': String(total) }, { 'Transfer-Encoding': 'chunked' }]) {
      const outgoing = request(url, {
        method: 'POST',
        headers: { ...headers, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      });
      let sent = 0;
      const push = (): void => {
        while (sent < total && !outgoing.destroyed) {
          sent += piece.length;
          if (!outgoing.write(piece)) return void outgoing.once('drain', push);
        }
      };
      push();
      const [response] = (await once(outgoing, 'response')) as [{ statusCode: number; resume(): void }];
      assert.equal(response.statusCode, 413);
      assert.ok(sent < total, `${sent} bytes were read`);
      outgoing.on('error', () => undefined).destroy();
    }
    await assertUnharmed();
  });

  test('mutations of a requestState are rejected, the true one is accepted once, and others are not blocked', async () => {
    const required = (await messageOf(callPay())).result as unknown as InputRequired;
    const [key = ''] = Object.keys(required.inputRequests);
    const inputResponses = { [key]: { action: 'accept', content: { allow: true } } };
    const answer = (requestState: unknown): Promise<Message> => messageOf(callPay({ inputResponses, requestState }));
    const random = seeded(42);
    const { requestState } = required;
    await repeat(inputCount, async (number) => {
      const mutation = mutate(requestState, random);
      const { error } = await answer(mutation);
      assert.equal(error?.code, -32_602, `mutation ${number}: ${JSON.stringify(mutation)}`);
    });
    assert.equal((await readHealth()).paid, 0);
    assert.equal((await answer(requestState)).result?.content?.[0]?.text, 'paid 1');
    assert.equal((await answer(requestState)).error?.code, -32_602, 'the state is used up');
    await assertUnharmed();
  });

  test('wrong headers and tokens are rejected, and known clients are still served', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    for (const [headers, status] of [
      [{ 'Mcp-Session-Id': 'nobody-s' }, 404],
      [{ 'Mcp-Session-Id': 'x'.repeat(8000) }, 404],
      [{}, 400],
      [{ 'MCP-Protocol-Version': '1999-01-01' }, 400],
      [{ Accept: 'text/html' }, 406],
      [{ 'Content-Type': 'text/plain' }, 415],
      [{ Origin: 'https://evil.example' }, 403],
    ] as const)
      assert.equal((await send(url, body, { ...headers })).status, status, JSON.stringify(headers).slice(0, 80));
    const random = seeded(7);
    await repeat(500, async () => {
      const wrong = mutate(token, random);
      const authorization = typeof wrong === 'string' ? `Bearer ${encodeURIComponent(wrong)}` : 'Basic eDp4';
      const { status } = await send(url, body, { Authorization: authorization });
      assert.ok(status === 401 || status === 429, `${status} for ${authorization}`);
    });
    await assertUnharmed();
  });
});

const letters = 'ABCxyz019-_=+/ \u00e9';

/** Returns a text that differs slightly from the given one, or a value that is not a text. */
function mutate(text: string, random: () => number): unknown {
  const at = Math.floor(random() * text.length);
  const letter = letters[Math.floor(random() * letters.length)] ?? 'A';
  const mutation = [
    () => text.slice(0, at) + letter + text.slice(at + 1),
    () => text.slice(0, at) + letter + text.slice(at),
    () => text.slice(0, at) + text.slice(at + 1),
    () => text.slice(0, at),
    () => text + letter,
    () => text.slice(at) + text.slice(0, at),
    () => [null, 1, true, {}, [text], ''][at % 6],
  ][Math.floor(random() * 7)]?.();
  return mutation === text ? `${text}A` : mutation;
}
