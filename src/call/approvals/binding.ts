import { hash } from 'node:crypto';
import { type Call, toolOf } from '../call.ts';
import { canonicalArguments } from '../canonical-arguments.ts';

/** What an approval of a call is bound to. */
export interface Binding {
  /** Principal, tool, definition, arguments, policy and protected files: all must be the same for the approval to hold. */
  readonly binding: string;
  /** Principal, tool and arguments: tells an approval that no longer holds from one of another call. */
  readonly subject: string;
  readonly argumentsHash: string;
}

/** Binds to what the tool would really run with, in canonical form (RFC 8785): the order of keys means nothing. */
export function bindingOf(call: Call): Binding {
  const { definition } = toolOf(call);
  const argumentsHash = sha256(canonicalArguments(call.runsWith));
  const { kind, id } = call.principal;
  // A link that leads to another file since the answer makes it another question.
  const { protectedFiles = [] } = call.decision ?? {};
  const subject = sha256(JSON.stringify([kind, id, definition.id.server, definition.id.tool, argumentsHash]));
  return {
    binding: sha256(JSON.stringify([subject, definition.definitionHash, policyVersion(call), ...protectedFiles])),
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
