import type { ToolSet } from 'ai';
import type { ToolBox } from '../tool-box.ts';
import { type AiSdkOptions, aiSdkTools } from './ai-sdk-tools.ts';

/** Tools that follow the catalog: to be spread into `generateText`, `streamText` or an agent. */
export interface AiSdkSteps {
  readonly tools: ToolSet;
  /** Reads the catalog again; the AI SDK calls it before each step. */
  prepareStep(): undefined;
}

/**
 * The tools of a box, read again before each step: a tool that came or changed since the last step is seen, one that went is not.
 * One for each run, since the set changes.
 *
 * @example
 * await generateText({ model, prompt, ...aiSdkSteps(box), stopWhen: isStepCount(5) });
 */
export function aiSdkSteps(box: ToolBox, options: AiSdkOptions = {}): AiSdkSteps {
  const tools: ToolSet = aiSdkTools(box, options);
  let from = box.tools();
  return {
    tools,
    prepareStep() {
      if (box.tools() === from) return undefined;
      from = box.tools();
      // The AI SDK lets a step choose among its tools, not bring others: those it holds are changed in place.
      for (const name of Object.keys(tools)) delete tools[name];
      Object.assign(tools, aiSdkTools(box, options));
      return undefined;
    },
  };
}
