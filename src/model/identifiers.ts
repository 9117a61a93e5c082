import { getRandomValues } from 'node:crypto';

declare const brand: unique symbol;
type Branded<Value, Name extends string> = Value & { readonly [brand]: Name };

/** Identifies one call. */
export type CallId = Branded<string, 'CallId'>;

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const random = new Uint8Array(1024);
let used = random.length;

/** A new call id. Ids sort by time of creation, which keeps indexes over them local. */
export function newCallId(): CallId {
  return newId('call') as CallId;
}

/** A new id that nobody can guess: 130 random bits. */
export function newSecretId(prefix: string): string {
  return `${prefix}_${Array.from(getRandomValues(new Uint8Array(26)), (byte) => alphabet.charAt(byte & 31)).join('')}`;
}

/** A new id: 45 bits of milliseconds, then 50 random bits, in lower-case base 32. */
export function newId(prefix: string): string {
  let time = Date.now();
  let id = '';
  for (let position = 0; position < 9; position++) {
    id = alphabet.charAt(time % 32) + id;
    time = Math.floor(time / 32);
  }
  if (used + 10 > random.length) {
    getRandomValues(random);
    used = 0;
  }
  for (let position = 0; position < 10; position++) id += alphabet.charAt((random[used++] ?? 0) & 31);
  return `${prefix}_${id}`;
}
