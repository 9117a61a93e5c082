import { hash } from 'node:crypto';
import { type Call, toolOf } from '../call.ts';
import { canonicalArguments } from '../canonical-arguments.ts';

/** What an approval of a call is bound to. */
export interface Binding {
  /** Principal, tool, definition, arguments and policy: all must be the same for the approval to hold. */
  readonly binding: string;
  /** Principal, tool and arguments: tells an approval that no longer holds from one of another call. */
  readonly subject: string;
  readonly argumentsHash: string;
}

/** Binds to what the tool would really run with, in canonical form (RFC 8785): the order of keys means nothing. */
export function bindingOf(call: Call): Binding {
  const { definition } = toolOf(call);
  const argumentsHash = sha256(canonicalArguments(call.argumentsText));
  const { kind, id } = call.principal;
  const subject = sha256(JSON.stringify([kind, id, definition.id.server, definition.id.tool, argumentsHash]));
  return {
    binding: sha256(JSON.stringify([subject, definition.definitionHash, policyVersion(call)])),
    subject,
    argumentsHash,
  };
}

/** The version of the policy that decided the call. */
export function policyVersion({ decision }: Pick<Call, 'decision'>): string {
  return decision?.policy ?? 'default';
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}
