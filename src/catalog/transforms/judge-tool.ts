import { SignalboxError, messageOf } from '../../core/errors.ts';
import type { SourceTool, WithheldTool } from '../source.ts';
import type { ToolTransform } from './tool-transform.ts';

/** What transforms made of a tool: another tool, or a reason not to offer it. */
export type Judgement =
  | { readonly tool: SourceTool; readonly withheld?: never }
  | { readonly tool?: never; readonly withheld: Omit<WithheldTool, 'since'> };

/** Sends a tool through transforms, one after the other. A transform that fails hides the tool: nothing is offered half changed. */
export function judgeTool(given: SourceTool, steps: readonly ToolTransform[], server: string): Judgement {
  let tool = given;
  for (const step of steps) {
    const name = tool.tool;
    try {
      const made = step(tool);
      if (made === null)
        return { withheld: { tool: name, by: 'transform', reason: 'hidden by a transform that drops it' } };
      if (isHidden(made)) return { withheld: { tool: name, by: 'rule', reason: made.hidden } };
      assertTool(made);
      tool = made;
    } catch (thrown) {
      const error = failure(thrown, name, server);
      return { withheld: { tool: name, by: 'definition-invalid', reason: error.message, error } };
    }
  }
  const remote = given.remote ?? given.tool;
  return { tool: tool.tool === remote || tool.remote === remote ? tool : { ...tool, remote } };
}

function isHidden(made: ReturnType<ToolTransform>): made is { readonly hidden: string } {
  return typeof made === 'object' && made !== null && 'hidden' in made && typeof made.hidden === 'string';
}

/** What a transform in plain JavaScript gives back may be anything. */
function assertTool(made: unknown): asserts made is SourceTool {
  if (typeof made !== 'object' || made === null || made instanceof Promise)
    throw new TypeError(`it gave back ${made instanceof Promise ? 'a promise' : typeof made}`);
  const { tool, description, notices, labels, parse, run } = made as Partial<Record<keyof SourceTool, unknown>>;
  const isWhole =
    typeof tool === 'string' &&
    typeof description === 'string' &&
    Array.isArray(notices) &&
    Array.isArray(labels) &&
    typeof parse === 'function' &&
    typeof run === 'function';
  if (!isWhole) throw new TypeError('it gave back something that is not a whole tool');
}

function failure(thrown: unknown, tool: string, server: string): SignalboxError {
  if (thrown instanceof SignalboxError) return thrown;
  return new SignalboxError(
    'tool-invalid',
    `a transform of server "${server}" failed on tool ${JSON.stringify(tool)}: ${messageOf(thrown)}; ` +
      'a transform gives back the tool as it should be, null to drop it, or { hidden: reason }',
    { cause: thrown },
  );
}
