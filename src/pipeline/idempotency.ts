import { hash } from 'node:crypto';
import { type Call, toolOf } from './call.ts';
import { argumentsDigest } from './canonical-arguments.ts';

/** The key a call takes, and a fingerprint of the arguments it takes it for; `undefined` without a key. */
export function claimOf(call: Call): Call['claim'] {
  const given = call.options.idempotencyKey;
  if (given === undefined) return undefined;
  const key = hash('sha256', JSON.stringify([call.principal.id, toolOf(call).definition.name, given]), 'hex');
  return { key, fingerprint: argumentsDigest(call.argumentsText) };
}
