import type { CallResult } from '../core/calls/call.ts';
import { text } from '../core/tools/content.ts';
import { messageOf } from '../core/errors.ts';

/**
 * Makes a call with the arguments that a model wrote: a value, or JSON text. Text that does not parse is passed on as it is, so
 * that the call is refused and recorded like any other; its result then has the parse error.
 */
export async function callWithModelArguments(
  tool: string,
  input: unknown,
  call: (args: unknown) => Promise<CallResult>,
): Promise<CallResult> {
  const { value, problem } = typeof input === 'string' ? parsed(input) : { value: input, problem: undefined };
  const result = await call(value);
  if (problem === undefined || result.outcome === 'completed' || result.error.code !== 'arguments-invalid')
    return result;
  const message = `the arguments of ${tool} are not valid JSON (${problem}); send one JSON object`;
  return { ...result, error: { ...result.error, message }, content: [text(message)] };
}

function parsed(json: string): { readonly value: unknown; readonly problem?: string } {
  if (json.trim() === '') return { value: {} };
  try {
    return { value: JSON.parse(json) as unknown };
  } catch (error) {
    return { value: json, problem: messageOf(error) };
  }
}
