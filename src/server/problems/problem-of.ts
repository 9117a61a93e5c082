import { HTTPException } from 'hono/http-exception';
import { SignalboxError } from '../../model/errors.ts';
import { newId } from '../../model/identifiers.ts';
import { Problem } from './problem.ts';

/**
 * The problem behind anything that was thrown while a request was served. What is not expected is logged under an id, and the
 * caller learns only the id: messages and stacks may hold what is not theirs to see.
 */
export function problemOf(thrown: unknown, log: (line: string) => void): Problem {
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof SignalboxError) {
    const { code, message } = thrown;
    if (code === 'server-unknown' || code === 'result-unknown') return new Problem(code, message);
    if (code === 'box-closed' || code === 'store-unavailable')
      return new Problem(code, message, { headers: { 'Retry-After': '1' } });
  }
  // The only one the framework throws by itself: a body whose media type the route does not take.
  if (thrown instanceof HTTPException && thrown.status === 415) {
    return new Problem('body-type-unsupported', 'send the body as JSON, with "Content-Type: application/json"');
  }
  const instance = newId('fault');
  log(`${instance}: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`);
  return new Problem(
    'internal-fault',
    `something went wrong inside Signalbox; its output tells more under ${instance}`,
    { instance },
  );
}
