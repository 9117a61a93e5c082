import { HTTPException } from 'hono/http-exception';
import { ConfigurationError } from '../../config/configuration-error.ts';
import { type ErrorCode, SignalboxError } from '../../core/errors.ts';
import { newId } from '../../core/identifiers.ts';
import { PolicyError } from '../../policy/rules/policy-error.ts';
import { Problem } from './problem.ts';

const exposedCodes = [
  'server-unknown',
  'profile-unknown',
  'server-local',
  'server-down',
  'server-unavailable',
  'content-failed',
  'content-denied',
  'result-unknown',
  'call-unknown',
  'undo-unavailable',
  'undo-done',
  'lock-outdated',
  'file-outdated',
  'name-collision',
  'sign-in-refused',
  'sign-in-failed',
  'setting-refused',
  'configuration-untrusted',
  'file-unwritable',
  'call-unknown',
  'call-settled',
  'approval-unknown',
  'approval-answered',
  'approval-expired',
  'approver-refused',
  'hidden-unacknowledged',
  'reveal-unavailable',
  'edit-invalid',
  'remember-refused',
  'rule-unknown',
  'job-unknown',
  'job-invalid',
  'session-unknown',
  'session-invalid',
  'agent-unknown',
  'question-unknown',
  'question-answered',
  'elicitation-unknown',
  'elicitation-closed',
  'elicitation-invalid',
  'token-unknown',
  'token-invalid',
] as const;
const temporaryCodes = ['session-busy', 'box-closed', 'store-unavailable'] as const;

/**
 * Converts a thrown value to a problem. Unexpected errors are logged with an id, and the caller gets only the id, because messages
 * and stacks may contain private data.
 */
export function toProblem(thrown: unknown, log: (line: string) => void): Problem {
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof PolicyError) {
    const issues = thrown.problems.map(({ file, line, column, path, message, hint }) => ({
      path: `${line === 0 ? file : `${file}:${line}:${column}`} ${path}`,
      message: hint === undefined ? message : `${message}; ${hint}`,
    }));
    return new Problem('policy-invalid', thrown.message, { issues });
  }
  if (thrown instanceof SignalboxError) {
    const { code, message } = thrown;
    if (isOneOf(exposedCodes, code)) return new Problem(code, message);
    if (isOneOf(temporaryCodes, code)) return new Problem(code, message, { headers: { 'Retry-After': '1' } });
  }
  if (thrown instanceof ConfigurationError) return new Problem('configuration-invalid', thrown.message);
  // The only exception that Hono itself throws: an unsupported media type.
  if (thrown instanceof HTTPException && thrown.status === 415) {
    return new Problem('body-type-unsupported', 'send the body as JSON, with "Content-Type: application/json"');
  }
  const instance = newId('fault');
  log(`${instance}: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`);
  return new Problem(
    'internal-fault',
    `an internal error occurred; the log of the server has the details under ${instance}`,
    { instance },
  );
}

function isOneOf<Code extends ErrorCode>(codes: readonly Code[], code: ErrorCode): code is Code {
  return codes.some((each) => each === code);
}
