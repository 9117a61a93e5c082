/** An invalid body, with the expected error code. */
export interface Malformed {
  readonly kind: string;
  readonly body: Buffer;
  /** The code of JSON-RPC, or `undefined` if the body is rejected before. */
  readonly code: number | undefined;
}

type Random = () => number;

const [parseError, invalidRequest] = [-32_700, -32_600];
const words = ['a', 'text', 'jsonrpc', 'id', '__proto__', 'constructor', 'é', '\u{1F600}', 'x'.repeat(40), ''];

function oneOf<Item>(random: Random, items: readonly [Item, ...Item[]]): Item {
  return items[Math.floor(random() * items.length)] ?? items[0];
}

function randomValue(random: Random, depth = 0): unknown {
  const kind = Math.floor(random() * (depth > 4 ? 5 : 7));
  const items = Array.from({ length: Math.floor(random() * 4) });
  if (kind === 0) return null;
  if (kind === 1) return random() < 0.5;
  if (kind === 2) return Math.floor((random() - 0.5) * 2 ** 40) / oneOf(random, [1, 8]);
  if (kind < 5) return oneOf(random, words as [string, ...string[]]);
  if (kind === 5) return items.map(() => randomValue(random, depth + 1));
  return Object.fromEntries(
    items.map((_, index) => [
      `${oneOf(random, words as [string, ...string[]])}${index}`,
      randomValue(random, depth + 1),
    ]),
  );
}

/** A valid message. */
function validMessage(random: Random): string {
  const args = { text: 'a', more: randomValue(random) };
  const params = { name: 'mcp__fixture__echo', arguments: args };
  return JSON.stringify({ jsonrpc: '2.0', id: Math.floor(random() * 1000), method: 'tools/call', params });
}

/** Returns a position inside the message, so that inserted bytes are part of it. */
function randomPosition(random: Random, text: string): number {
  return 1 + Math.floor(random() * (text.length - 2));
}

function insertBytes(random: Random, text: string, bytes: readonly number[]): Buffer {
  const whole = Buffer.from(text);
  const position = randomPosition(random, text);
  return Buffer.concat([whole.subarray(0, position), Buffer.from(bytes), whole.subarray(position)]);
}

const shapes: readonly [(random: Random) => unknown, ...((random: Random) => unknown)[]] = [
  (random) => ({ jsonrpc: oneOf<unknown>(random, ['1.0', 2, null, undefined]), id: 1, method: 'ping' }),
  (random) => ({ jsonrpc: '2.0', id: oneOf<unknown>(random, [null, {}, [], true, 1.5, 2 ** 60]), method: 'ping' }),
  (random) => ({ jsonrpc: '2.0', id: 1, method: oneOf<unknown>(random, [null, 1, {}, [], false]) }),
  (random) => ({ jsonrpc: '2.0', id: 1, method: 'ping', params: oneOf<unknown>(random, [null, 1, 'a', [], true]) }),
  () => ({ jsonrpc: '2.0', id: 1 }),
  () => ({ jsonrpc: '2.0', result: {} }),
  (random) => ({ jsonrpc: '2.0', id: 1, error: oneOf<unknown>(random, [null, 1, 'a', []]) }),
  (random) => oneOf<unknown>(random, [null, 1, 'text', true, [], [{ jsonrpc: '2.0', id: 1, method: 'ping' }]]),
];

/** The grammar: one rule for each kind of error. */
const rules: readonly [(random: Random) => Malformed, ...((random: Random) => Malformed)[]] = [
  (random) => {
    const whole = Buffer.from(validMessage(random));
    // A cut between two bytes of a character would also be invalid UTF-8, so incomplete characters are removed.
    const text = whole.subarray(0, randomPosition(random, validMessage(random)) % (whole.length - 1)).toString('utf8');
    return { kind: 'truncated', body: Buffer.from(text.replaceAll('\u{FFFD}', '')), code: parseError };
  },
  (random) => ({
    kind: 'trailing data',
    body: Buffer.from(validMessage(random) + oneOf(random, [' x', '}', '{}', ',', '\n[]', '"', '//', '\u00A0'])),
    code: parseError,
  }),
  (random) => {
    const key = JSON.stringify(oneOf(random, words as [string, ...string[]]));
    const twice = `{${key}:${JSON.stringify(randomValue(random))},"between":1,${key}:${JSON.stringify(randomValue(random))}}`;
    const params = `{"name":"mcp__fixture__echo","arguments":{"nested":[${twice}]}}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    return { kind: 'duplicate keys', body: Buffer.from(body), code: parseError };
  },
  (random) => ({
    kind: 'lone surrogate',
    body: insertBytes(random, validMessage(random).replaceAll(/[^\x20-\x7E]/g, '?'), [
      0xed,
      0xa0 + Math.floor(random() * 32),
      0x80,
    ]),
    code: parseError,
  }),
  (random) => {
    const id = oneOf(random, ['1e400', '-1e999', '9007199254740993', '1e308', `1${'0'.repeat(500)}`, '0.1']);
    return {
      kind: 'huge number',
      body: Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`),
      code: invalidRequest,
    };
  },
  (random) => ({
    kind: 'invalid UTF-8',
    body: insertBytes(
      random,
      validMessage(random).replaceAll(/[^\x20-\x7E]/g, '?'),
      oneOf(random, [[0xff], [0xc0, 0x80], [0xf5], [0x80]]),
    ),
    code: parseError,
  }),
  (random) => ({
    kind: 'NUL byte',
    body: insertBytes(random, validMessage(random).replaceAll(/[^\x20-\x7E]/g, '?'), [0]),
    code: parseError,
  }),
  (random) => ({
    kind: 'wrong shape',
    body: Buffer.from(JSON.stringify(oneOf(random, shapes)(random))),
    code: invalidRequest,
  }),
  (random) => {
    const deep = 257 + Math.floor(random() * 2000);
    const [open, close] = oneOf(random, [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const);
    return { kind: 'deep', body: Buffer.from(`${open.repeat(deep)}1${close.repeat(deep)}`), code: invalidRequest };
  },
];

/** Returns the next invalid body. */
export function malformedBody(random: Random): Malformed {
  return oneOf(random, rules)(random);
}
