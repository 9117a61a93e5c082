import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { newId } from '../core/identifiers.ts';

/** `sbx_`, the id without its first word, and 256 random bits. */
const form = /^sbx_([0-9a-z]{19})_[A-Za-z0-9_-]{43}$/;
const unlikeAny = '0'.repeat(64);

/** A new token, with the id that it is found by. */
export function newToken(): { readonly id: string; readonly text: string; readonly hash: string } {
  const id = newId('tok');
  const text = `sbx_${id.slice('tok_'.length)}_${randomBytes(32).toString('base64url')}`;
  return { id, text, hash: hashOf(text) };
}

/** The id that a token says it has; `undefined` when it has not the form of one. */
export function idOf(token: string): string | undefined {
  const [, id] = form.exec(token) ?? [];
  return id === undefined ? undefined : `tok_${id}`;
}

/** Whether a token has this hash, in a time that tells nothing about it; without a hash, no in the same time. */
export function hasHash(token: string, expected = unlikeAny): boolean {
  return timingSafeEqual(Buffer.from(hashOf(token), 'hex'), Buffer.from(expected, 'hex'));
}

function hashOf(token: string): string {
  return hash('sha256', token, 'hex');
}
