import { hash } from 'node:crypto';
import { type AskingRule, type Decision, asksOf } from '../../core/calls/decision.ts';
import { type Call, toolOf } from '../call.ts';
import { argumentsDigest } from '../canonical-arguments.ts';

/** What an approval of a call is bound to. */
export interface Binding {
  /** Principal, tool, definition, arguments, the rules that ask and protected files: all must be the same for the question to be the same. */
  readonly binding: string;
  /** Principal, tool and arguments: tells an approval that no longer holds from one of another call. */
  readonly subject: string;
  readonly argumentsHash: string;
}

/** Binds to what the tool would really run with, in canonical form (RFC 8785): the order of keys means nothing. */
export function bindingOf(call: Call): Binding {
  const { definition } = toolOf(call);
  const argumentsHash = argumentsDigest(call.argumentsText);
  const { kind, id } = call.principal;
  // A link that leads to another file since the answer makes it another question.
  const { protectedFiles = [] } = call.decision ?? {};
  const subject = sha256(JSON.stringify([kind, id, definition.id.server, definition.id.tool, argumentsHash]));
  return {
    binding: sha256(
      JSON.stringify([
        subject,
        definition.definitionHash,
        ...asksOf(decisionOf(call)).map(keyOf).toSorted(),
        ...protectedFiles,
      ]),
    ),
    subject,
    argumentsHash,
  };
}

/** The decision of a call that asks. */
export function decisionOf({ decision }: Pick<Call, 'decision'>): Decision {
  return decision ?? { answer: 'ask', rule: '', reason: '' };
}

/** Returns the rules that ask about a call and did not when it was approved, were written differently then, or asked about other protected files. */
export function unanswered(now: Decision, approved: Decision): readonly AskingRule[] {
  const [files, answeredFiles] = [now, approved].map(({ protectedFiles = [] }) => JSON.stringify(protectedFiles));
  if (files !== answeredFiles) return asksOf(now);
  const answered = new Set(asksOf(approved).map(keyOf));
  return asksOf(now).filter((asking) => !answered.has(keyOf(asking)));
}

/** The same id with another text is another rule. */
function keyOf({ rule, version = '' }: AskingRule): string {
  return JSON.stringify([rule, version]);
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}
