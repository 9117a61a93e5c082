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
import { malformed } from './malformed-bodies.ts';
import type { Fared } from './mcp-endpoint-process.ts';

const many = isFull() ? 10_000 : 2000;
const modern = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'mcp__fixture__echo' };
const echo = { name: 'mcp__fixture__echo', arguments: { text: 'hello' } };

interface Asked {
  readonly requestState: string;
  readonly inputRequests: Readonly<Record<string, unknown>>;
}

suite('bad input at the MCP endpoint', { timeout: 900_000 }, () => {
  let child: ChildProcess;
  let url: URL;
  before(async () => {
    child = fork(join(import.meta.dirname, 'mcp-endpoint-process.ts'), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [base] = (await within(once(child, 'message'), 'the start of the endpoint')) as [string];
    url = new URL('/mcp', base);
    // What is done for the first time takes longer.
    for (let round = 0; round < 200; round += 1) await (await sendModern(url, 'tools/call', echo)).text();
    const { requestState, inputRequests } = (await messageOf(askToPay())).result as unknown as Asked;
    const [key = ''] = Object.keys(inputRequests);
    const inputResponses = { [key]: { action: 'accept', content: { allow: false } } };
    await (await askToPay({ requestState, inputResponses })).text();
    await fared();
  });
  after(() => child.disconnect());

  /** A call that its caller is asked about first. */
  function askToPay(answer: object = {}): Promise<Response> {
    const pay = { name: 'mcp__fixture__pay', arguments: { amount: 5 } };
    const more = { capabilities: { elicitation: { form: {} } } };
    return sendModern(new URL('/mcp/trusting', url), 'tools/call', { ...pay, ...answer }, more);
  }

  async function fared(): Promise<Fared> {
    child.send('how');
    const [answer] = (await within(once(child, 'message'), 'how the endpoint fares')) as [Fared];
    return answer;
  }

  /** The process was never frozen, nothing was logged, and the next request is served. */
  async function assertUnharmed(): Promise<void> {
    const { longestMs, logged } = await fared();
    assert.deepEqual(logged, []);
    assert.ok(longestMs < freezeMs, `nobody else was served for ${longestMs} ms of processor time`);
    assert.equal((await messageOf(sendModern(url, 'tools/call', echo))).result?.content?.[0]?.text, 'hello');
  }

  /** Does something so many times, several at once. */
  async function times(count: number, doOnce: (number: number) => Promise<void>): Promise<void> {
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < count) await doOnce((next += 1));
    };
    await Promise.all(Array.from({ length: 16 }, work));
  }

  test('malformed bodies of every kind are refused with the right code, and nobody else waits for it', async () => {
    const random = seeded(2026);
    const session = await begin(url);
    const kinds = new Set<string>();
    await times(many, async () => {
      const { kind, body, code } = malformed(random);
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

  test('bombs of depth and of number are refused before they are parsed, and nobody else waits for it', async () => {
    const half = 4 * 1024 * 1024 - 10;
    const bombs = [
      '['.repeat(half) + ']'.repeat(half),
      '{"a":'.repeat(half / 5),
      `[${'[],'.repeat(half / 3)}[]]`,
      `[${'1,'.repeat(half)}1]`,
      `{${Array.from({ length: 400_000 }, (_, at) => `"${at}":1`).join()}}`,
    ];
    for (const bomb of bombs) {
      const response = await send(url, bomb, modern);
      assert.equal(response.status, 400);
      assert.equal((await messageOf(response)).error?.code, -32_600);
    }
    await assertUnharmed();
  });

  test('the largest bodies, of whatever letters, are read in steps, and nobody else waits for one', async () => {
    const room = 8 * 1024 * 1024 - 100;
    for (const unit of ['a', 'é', String.raw`\"`, String.raw`\\`, String.raw`\n`, String.raw`\u00e9`]) {
      const body = `"${unit.repeat(Math.floor(room / Buffer.byteLength(unit)))}"`;
      const took: number[] = [];
      // Others on a busy machine can only add to it, so that the least of a few is what it takes.
      while (took.length < 5 && Math.min(...took) >= freezeMs) {
        const response = await send(url, body, modern);
        assert.equal(response.status, 400);
        assert.equal((await messageOf(response)).error?.code, -32_600);
        took.push((await fared()).longestMs);
      }
      assert.ok(
        Math.min(...took) < freezeMs,
        `${unit}: nobody else was served for ${took.join(', ')} ms of processor time`,
      );
    }
    await assertUnharmed();
  });

  test('bodies of 100 MB, announced or not, are refused with 413 and not read to their end', async () => {
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
      assert.ok(sent < total, `${sent} bytes were taken`);
      outgoing.on('error', () => undefined).destroy();
    }
    await assertUnharmed();
  });

  test('mutations of a requestState are refused, the true one is good once, and nobody else waits for it', async () => {
    const asked = (await messageOf(askToPay())).result as unknown as Asked;
    const [key = ''] = Object.keys(asked.inputRequests);
    const inputResponses = { [key]: { action: 'accept', content: { allow: true } } };
    const answer = (requestState: unknown): Promise<Message> => messageOf(askToPay({ inputResponses, requestState }));
    const random = seeded(42);
    const { requestState } = asked;
    await times(many, async (number) => {
      const mutation = mutated(requestState, random);
      const { error } = await answer(mutation);
      assert.equal(error?.code, -32_602, `mutation ${number}: ${JSON.stringify(mutation)}`);
    });
    assert.equal((await fared()).paid, 0);
    assert.equal((await answer(requestState)).result?.content?.[0]?.text, 'paid 1');
    assert.equal((await answer(requestState)).error?.code, -32_602, 'it was used');
    await assertUnharmed();
  });

  test('wrong headers and tokens are refused, while those who are known go on', async () => {
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
    await times(500, async () => {
      const wrong = mutated(token, random);
      const authorization = typeof wrong === 'string' ? `Bearer ${encodeURIComponent(wrong)}` : 'Basic eDp4';
      const { status } = await send(url, body, { Authorization: authorization });
      assert.ok(status === 401 || status === 429, `${status} for ${authorization}`);
    });
    await assertUnharmed();
  });
});

const letters = 'ABCxyz019-_=+/ \u00e9';

/** A text that is not quite the given one, or no text at all. */
function mutated(text: string, random: () => number): unknown {
  const at = Math.floor(random() * text.length);
  const letter = letters[Math.floor(random() * letters.length)] ?? 'A';
  const made = [
    () => text.slice(0, at) + letter + text.slice(at + 1),
    () => text.slice(0, at) + letter + text.slice(at),
    () => text.slice(0, at) + text.slice(at + 1),
    () => text.slice(0, at),
    () => text + letter,
    () => text.slice(at) + text.slice(0, at),
    () => [null, 1, true, {}, [text], ''][at % 6],
  ][Math.floor(random() * 7)]?.();
  return made === text ? `${text}A` : made;
}
