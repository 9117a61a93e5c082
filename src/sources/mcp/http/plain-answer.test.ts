import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { Duplex } from 'node:stream';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { instance } from '../../../core/mcp-protocol.ts';
import { PlainAnswer, isJson } from './plain-answer.ts';

const largest = 2000;

type Read = { readonly text: string; readonly pieces: number } | 'left' | 'failed';

/** How these pieces are read here, before the server closes the connection. */
function readHere(pieces: readonly Buffer[]): Read {
  const answer = new PlainAnswer(largest);
  for (const [index, piece] of pieces.entries()) {
    const reading = answer.read(piece);
    if (reading === 'whole') return { text: answer.takeText(), pieces: index + 1 };
    if (reading === 'other') {
      assert.deepEqual(answer.takeBytes(), Buffer.concat(pieces.slice(0, index + 1)));
      return 'left';
    }
  }
  return 'failed';
}

/** How `node:http` reads them: the document of an answer that is one. */
async function readByNode(pieces: readonly Buffer[]): Promise<string | undefined> {
  const line = new Duplex({ read: () => undefined, write: (_chunk, _encoding, written) => written() });
  const read = new Promise<string | undefined>((resolve) => {
    const answered = (incoming: IncomingMessage): void => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', () => resolve(undefined));
      incoming.on('close', () => {
        const { statusCode, headers, complete } = incoming;
        const isDocument = complete && statusCode === 200 && isJson.test(headers['content-type'] ?? '');
        resolve(isDocument ? Buffer.concat(chunks).toString() : undefined);
      });
    };
    const asking = request({ method: 'POST', createConnection: () => line }, answered);
    asking.on('error', () => resolve(undefined));
    asking.on('upgrade', () => resolve(undefined));
    asking.on('close', () => resolve(undefined));
    asking.end();
  });
  await turn();
  for (const piece of pieces) {
    line.push(piece);
    await turn();
  }
  line.push(null);
  return await read.finally(() => line.destroy());
}

const document = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value));

/** Cut at any places. */
const inPieces = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((one, other) => one - other);
  return [0, ...places]
    .map((from, index) => bytes.subarray(from, places[index] ?? bytes.length))
    .filter(({ length }) => length > 0);
};

/** In chunks of these sizes, again and again. */
function chunked(body: Buffer, sizes: readonly number[], frame: (size: number) => string, end = '0\r\n\r\n'): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0, index = 0; at < body.length; index += 1) {
    const part = body.subarray(at, at + (sizes[index % sizes.length] ?? 1));
    parts.push(Buffer.from(frame(part.length)), part, Buffer.from('\r\n'));
    at += part.length;
  }
  return Buffer.concat([...parts, Buffer.from(end)]);
}

const hex = (size: number): string => `${size.toString(16)}\r\n`;
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 });
const cuts = fc.array(fc.nat(5000), { maxLength: 6 });

describe('an answer that is a JSON document', () => {
  const heads = fc.shuffledSubarray(['Date: today', 'X-Words:  a b ', 'connection: Keep-Alive', 'X-Empty:'], {
    maxLength: 4,
  });

  test('is read whole, its length said or in chunks, wherever its body is cut, one after the other', () => {
    const answer = new PlainAnswer(100_000);
    fc.assert(
      fc.property(document, sizes, cuts, heads, fc.boolean(), (text, parts, places, lines, isCounted) => {
        const body = Buffer.from(text);
        const framing = isCounted ? `Content-Length: ${body.length}` : 'Transfer-Encoding: chunked';
        const head = ['HTTP/1.1 200 OK', ...lines, 'Content-Type: application/json', framing].join('\r\n');
        const [first = Buffer.alloc(0), ...others] = inPieces(isCounted ? body : chunked(body, parts, hex), places);
        const pieces = [Buffer.concat([Buffer.from(`${head}\r\n\r\n`), first]), ...others];
        const readings = pieces.map((piece) => answer.read(piece));
        assert.deepEqual(
          readings,
          pieces.map((_, index) => (index < others.length ? 'more' : 'whole')),
        );
        assert.equal(answer.takeText(), text);
        assert.equal(answer.hasBegun, false);
      }),
      { numRuns: 1000 },
    );
  });

  test('says how long its connection may be used again', () => {
    const keptFor = (line: string): number => {
      const answer = new PlainAnswer(largest);
      const head = `HTTP/1.1 200 OK\r\n${line}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
      assert.equal(answer.read(Buffer.from(head)), 'whole');
      return answer.keepMs;
    };
    assert.equal(keptFor(''), Number.POSITIVE_INFINITY);
    assert.equal(keptFor('Connection: close\r\n'), 0);
    assert.equal(keptFor('Keep-Alive: timeout=5, max=100\r\n'), 4000);
    assert.equal(keptFor('Keep-Alive: timeout=1\r\n'), 0);
    assert.equal(keptFor('Keep-Alive: timeout=5\r\nConnection: close\r\n'), 0);
  });
});

test('an answer that is not plainly a JSON document of a size that is allowed is left, with all that came of it', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
  const body = 'Content-Length: 2\r\n\r\n{}';
  for (const text of [
    `HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n${body}`,
    `HTTP/1.1 100 Continue\r\n\r\n${head}${body}`,
    `HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n${body}`,
    `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n${body}`,
    `HTTP/1.1 200 OK\r\n${body}`,
    `${head}\r\n{}`,
    `${head}${body}{`,
    `${head}Content-Length: 2\r\n${body}`,
    `${head}Content-Type: text/html\r\n${body}`,
    `${head}Transfer-Encoding: chunked\r\n${body}`,
    `${head}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    `${head}Transfer-Encoding: chunked\r\n\r\n2;x=y\r\n{}\r\n0\r\n\r\n`,
    `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-After: y\r\n\r\n`,
    `${head}Transfer-Encoding: chunked\r\n\r\nzz`,
    `${head}Content-Length: ${largest + 1}\r\n\r\n{`,
    `${head}Transfer-Encoding: chunked\r\n\r\n${hex(largest + 1)}${'x'.repeat(largest + 1)}`,
    `${head}X-Folded: a\r\n b\r\n${body}`,
    `${head}X-Long: ${'x'.repeat(16 * 1024)}\r\n${body}`,
    `${head}Upgrade: h2c\r\n${body}`,
    `${head}Connection: upgrade\r\n${body}`,
    `${head}${instance.header}: ${instance.id}\r\n${body}`,
    'HTTP/1.1 200 OK\r\nContent-Ty',
    '\n',
  ])
    assert.equal(readHere([Buffer.from(text, 'latin1')]), 'left', text.slice(0, 200));
});

describe('whatever a server sends', () => {
  const status = fc.oneof(
    { weight: 30, arbitrary: fc.constant('HTTP/1.1 200 OK') },
    fc.constantFrom('HTTP/1.1 200 ', 'HTTP/1.1 200', 'HTTP/1.0 200 OK', 'http/1.1 200 OK', 'HTTP/1.1  200 OK'),
    fc.constantFrom(
      'HTTP/1.1 200 \u0001',
      'HTTP/1.1 200 OK\t',
      'HTTP/1.1 204 None',
      'HTTP/1.1 404 Gone',
      'HTTP/2 200 OK',
    ),
  );
  const odd = fc.constantFrom(
    'Date: today',
    'X-A: é',
    'X-B:',
    'X-C:\t a\t',
    'X-D : a',
    'X-E: a\r\n b',
    'X-F: \u0000',
    'X-G: \u007f',
    ': a',
    'X-H',
    'Connection: close',
    'Connection: keep-alive',
    'Connection: Keep-Alive, Upgrade',
    'Upgrade: h2c',
    'Trailer: X-A',
    'Keep-Alive: timeout=5',
    'Content-Length: 2',
    'Content-Length: +2',
    'Content-Length:',
    'Transfer-Encoding: gzip',
    'Content-Type: text/html',
    'Content-Type: application/json',
    'Proxy-Connection: close',
    'X-I: a\rb',
    'X-J: a\nb',
  );
  const spelling = fc.constantFrom(
    ...Array.from({ length: 9 }, () => (line: string) => line),
    (line: string) => line.toUpperCase(),
    (line: string) => line.toLowerCase(),
    (line: string) => line.replace(': ', ':'),
    (line: string) => line.replace(': ', ': \t '),
    (line: string) => `${line} `,
    (line: string) => `${line}\t`,
  );
  const framing = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('counted', 'chunked') },
    fc.constantFrom('both', 'none', 'one more', 'one less', 'upper', 'zeros', 'extended', 'trailed', 'spaced', 'bare'),
  );
  const mutation = fc.oneof(
    { weight: 3, arbitrary: fc.constant({ kind: 'none' }) },
    fc.record({ kind: fc.constantFrom('set', 'insert', 'remove', 'cut'), at: fc.nat(5000), byte: fc.nat(255) }),
    fc.constantFrom(
      { kind: 'after', text: '{' },
      { kind: 'after', text: '\r\n' },
      { kind: 'after', text: 'HTTP/1.1 200 OK\r\n\r\n' },
    ),
    fc.constantFrom({ kind: 'before', text: 'HTTP/1.1 100 Continue\r\n\r\n' }, { kind: 'before', text: '\r\n' }),
  ) as fc.Arbitrary<{ kind: string; at?: number; byte?: number; text?: string }>;

  function framed(kind: string, body: Buffer, parts: readonly number[]): [lines: string[], body: Buffer] {
    const counted = (length: number): string => `Content-Length: ${length}`;
    const coded = 'Transfer-Encoding: chunked';
    if (kind === 'counted') return [[counted(body.length)], body];
    if (kind === 'one more' || kind === 'one less')
      return [[counted(body.length + (kind === 'one more' ? 1 : -1))], body];
    if (kind === 'none') return [[], body];
    const frames: Record<string, (size: number) => string> = {
      upper: (size) => hex(size).toUpperCase(),
      zeros: (size) => `00${hex(size)}`,
      extended: (size) => `${size.toString(16)};a=b\r\n`,
      spaced: (size) => `${size.toString(16)} \r\n`,
      bare: (size) => `${size.toString(16)}\n`,
    };
    const end = kind === 'trailed' ? '0\r\nX-A: b\r\n\r\n' : undefined;
    return [kind === 'both' ? [counted(body.length), coded] : [coded], chunked(body, parts, frames[kind] ?? hex, end)];
  }

  function mutated(
    bytes: Buffer,
    { kind, at = 0, byte = 0, text = '' }: { kind: string; at?: number; byte?: number; text?: string },
  ): Buffer {
    const place = at % bytes.length;
    const [before, from, after] = [bytes.subarray(0, place), bytes.subarray(place), bytes.subarray(place + 1)];
    if (kind === 'set') return Buffer.concat([before, Buffer.of(byte), after]);
    if (kind === 'insert') return Buffer.concat([before, Buffer.of(byte), from]);
    if (kind === 'remove') return Buffer.concat([before, after]);
    if (kind === 'cut') return before;
    if (kind === 'after') return Buffer.concat([bytes, Buffer.from(text)]);
    return kind === 'before' ? Buffer.concat([Buffer.from(text), bytes]) : bytes;
  }

  test(
    'what is taken from it is what node:http reads, and what fails here fails there',
    { timeout: 120_000 },
    async () => {
      const counts = { taken: 0, left: 0, failed: 0 };
      await fc.assert(
        fc.asyncProperty(
          fc.record({
            first: status,
            type: fc.oneof(
              { weight: 20, arbitrary: fc.constant('application/json') },
              fc.constantFrom('application/json ; a', 'application/jsonp', 'text/plain'),
            ),
            odds: fc.oneof(fc.constant([]), fc.array(odd, { maxLength: 2 })),
            spell: fc.array(spelling, { minLength: 1, maxLength: 3 }),
            end: fc.oneof({ weight: 40, arbitrary: fc.constant('\r\n') }, fc.constant('\n')),
            text: document,
            kind: framing,
            parts: sizes,
            change: mutation,
            places: fc.oneof(fc.constant<number[]>([]), cuts),
            isHeadCut: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
          }),
          async ({ first, type, odds, spell, end, text, kind, parts, change, places, isHeadCut }) => {
            const [lines, body] = framed(kind, Buffer.from(text), parts);
            const headers = [...odds, `Content-Type: ${type}`, ...lines].map(
              (line, index) => spell[index % spell.length]?.(line) ?? line,
            );
            const head = Buffer.from(`${[first, ...headers].join(end)}${end}${end}`, 'latin1');
            const inBody = (place: number): number => head.length + (place % (body.length + 1));
            const bytes = mutated(Buffer.concat([head, body]), change);
            const pieces = inPieces(bytes, isHeadCut ? places : places.map(inBody));
            const here = readHere(pieces);
            if (here === 'left') counts.left += 1;
            else if (here === 'failed') {
              counts.failed += 1;
              assert.equal(await readByNode(pieces), undefined);
            } else {
              counts.taken += 1;
              assert.equal(await readByNode(pieces.slice(0, here.pieces)), here.text);
            }
          },
        ),
        { seed: 20_261_116, numRuns: 4000 },
      );
      assert.ok(counts.taken > 300 && counts.failed > 30 && counts.left > 500, JSON.stringify(counts));
    },
  );
});
