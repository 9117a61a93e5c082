// Not `getRandomValues`, which loads all of Web Crypto.
import { randomFillSync } from 'node:crypto';

declare const brand: unique symbol;
/** A nominal type, so that identifiers of different kinds cannot be confused. */
export type Branded<Value, Name extends string> = Value & { readonly [brand]: Name };

/** Identifies one call. */
export type CallId = Branded<string, 'CallId'>;

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
/** All pairs of letters. The random part of an id consists of five pairs. */
const pairs = Array.from({ length: 1024 }, (_, index) => alphabet.charAt(index >> 5) + alphabet.charAt(index & 31));
const random = new Uint16Array(1024);
let used = random.length;
let lastTime = 0;
let lastTimeText = '';

/** Returns a new call id. Ids sort by creation time, which keeps database indexes local. */
export function newCallId(): CallId {
  return newId('call') as CallId;
}

/** Returns an unguessable id with 130 random bits. */
export function newSecretId(prefix: string): string {
  return `${prefix}_${Array.from(randomFillSync(new Uint8Array(26)), (byte) => alphabet.charAt(byte & 31)).join('')}`;
}

/** Returns a new id: 45 bits of milliseconds, then 50 random bits, in lower-case base 32. */
export function newId(prefix: string): string {
  if (used + 5 > random.length) {
    randomFillSync(random);
    used = 0;
  }
  let id = `${prefix}_${timeText(Date.now())}`;
  for (let pair = 0; pair < 5; pair++) id += pairs[(random[used++] ?? 0) & 1023] ?? '';
  return id;
}

/** Encodes a time. Caches the last one, because many ids are created within a millisecond. */
function timeText(time: number): string {
  if (time === lastTime) return lastTimeText;
  let rest = time;
  let text = '';
  for (let position = 0; position < 9; position++) {
    text = alphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  lastTime = time;
  lastTimeText = text;
  return text;
}
