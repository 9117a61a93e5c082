import type { ToolSet } from 'ai';
import type { ToolBox } from '../tool-box.ts';
import { type AiSdkOptions, aiSdkTools } from './ai-sdk-tools.ts';

/** Tools that follow the catalog. Spread it into the options of `generateText`, `streamText` or an agent. */
export interface AiSdkSteps {
  readonly tools: ToolSet;
  /** Reads the catalog again; the AI SDK calls it before each step. */
  prepareStep(): undefined;
}

/**
 * Returns the tools of a box, updated before each step: the model sees the tools that were added, changed or removed since the last step.
 * Create one for each run, because the set changes.
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
      // A step cannot replace the tool set of the AI SDK, so the set is changed in place.
      for (const name of Object.keys(tools)) delete tools[name];
      Object.assign(tools, aiSdkTools(box, options));
      return undefined;
    },
  };
}
