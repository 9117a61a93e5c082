import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMs } from '../../test/support/cpu-time.ts';
import { MessageReader } from './message-reader.ts';

function createReader(maxMessageBytes = 1000): {
  reader: MessageReader;
  messages: object[];
  noise: string[];
  tooLarge: number[];
} {
  const messages: object[] = [];
  const noise: string[] = [];
  const tooLarge: number[] = [];
  const reader = new MessageReader({
    maxMessageBytes,
    onMessage: (message) => messages.push(message),
    onNoise: (line) => noise.push(line),
    onTooLarge: () => tooLarge.push(1),
  });
  return { reader, messages, noise, tooLarge };
}

test('delivers complete messages for chunks of any size', () => {
  const sent = [{ a: 'ä€😀' }, { b: [1, { c: null }] }, {}];
  const bytes = Buffer.from(sent.map((each) => `${JSON.stringify(each)}\n`).join(''));
  for (let size = 1; size <= bytes.length; size += 1) {
    const { reader, messages } = createReader();
    for (let at = 0; at < bytes.length; at += size) reader.read(bytes.subarray(at, at + size));
    assert.deepEqual(messages, sent);
  }
});

test('reports other lines as noise and ignores empty ones', () => {
  const { reader, messages, noise } = createReader();
  reader.read(Buffer.from('hello\r\n\n{"a":1}\r\n[1]\n"text"\n{broken\n'));
  assert.deepEqual(messages, [{ a: 1 }]);
  assert.deepEqual(noise, ['hello\r', '[1]', '"text"', '{broken']);
});

test('reports a message as soon as it exceeds the limit', () => {
  const { reader, tooLarge, messages } = createReader(10);
  reader.read(Buffer.from('{"a":"0123'));
  assert.equal(tooLarge.length, 0);
  reader.read(Buffer.from('4'));
  assert.equal(tooLarge.length, 1);
  const whole = createReader(10);
  whole.reader.read(Buffer.from('{"a":"01234567"}\n'));
  assert.equal(whole.tooLarge.length, 1);
  assert.deepEqual([...messages, ...whole.messages], []);
});

test('reads a 20 MB message of small chunks in linear time', () => {
  const { reader, messages } = createReader(64 * 1024 * 1024);
  const piece = Buffer.alloc(16 * 1024, 'x');
  const spent = cpuMs(() => {
    reader.read(Buffer.from('{"a":"'));
    for (let count = 0; count < 1280; count += 1) reader.read(piece);
    reader.read(Buffer.from('"}\n'));
  });
  assert.equal(messages.length, 1);
  assert.ok(spent < 5000, `${spent} ms`);
});
