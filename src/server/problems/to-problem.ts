import { HTTPException } from 'hono/http-exception';
import { ConfigurationError } from '../../config/configuration-error.ts';
import { SignalboxError } from '../../core/errors.ts';
import { newId } from '../../core/identifiers.ts';
import { PolicyError } from '../../policy/rules/policy-error.ts';
import { type ProblemCode, problemCodes } from './problem-codes.ts';
import { Problem } from './problem.ts';

/**
 * Converts a thrown value to a problem. An error of Signalbox with the code of a problem keeps its message. Other errors are logged
 * with an id, and the caller gets only the id, because messages and stacks may contain private data.
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
  if (thrown instanceof SignalboxError && isProblemCode(thrown.code)) {
    const { status } = problemCodes[thrown.code];
    const isTemporary = status === 429 || status === 503;
    return new Problem(thrown.code, thrown.message, isTemporary ? { headers: { 'Retry-After': '1' } } : {});
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

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problemCodes, code);
}
