import { type AssistantModelMessage, type TextStreamPart, type ToolSet, streamText } from 'ai';
import { failureOf } from './provider-failure.ts';
import type { Step, StepRequest } from './step.ts';
import { ToldStep } from './told-step.ts';
import { toolSet } from './tool-set.ts';
import { warnOnce } from './warn-once.ts';

warnOnce();

/** Asks the model once, tells what it says while it says it, and collects the calls it wants made. */
export async function takeStep(request: StepRequest): Promise<Step> {
  const told = new ToldStep(request);
  const { model, provider, options } = request.chosen;
  if (model === 'demo') throw new TypeError('the demo model answers by itself');
  try {
    const result = streamText({
      model,
      ...(options === undefined ? {} : { providerOptions: { [provider]: options } }),
      instructions: request.instructions,
      messages: [...request.messages],
      tools: toolSet(request.tools, provider),
      abortSignal: request.signal,
      ...(request.answerTokens === undefined ? {} : { maxOutputTokens: request.answerTokens }),
      // Told as an event; the AI SDK would print it.
      onError: () => undefined,
    });
    for await (const part of result.fullStream) {
      const ended = take(part, told, request.chosen.name);
      if (ended !== undefined) return ended;
    }
    if (request.signal.aborted) return told.partly('aborted');
    const { messages } = await result.response;
    return told.ended(messages.find((one): one is AssistantModelMessage => one.role === 'assistant'));
  } catch (error) {
    return request.signal.aborted ? told.partly('aborted') : told.failed(failureOf(request.chosen.name, error));
  }
}

/** Tells what came, and gives back the step when that was its end before its time. */
function take(part: TextStreamPart<ToolSet>, told: ToldStep, model: string): Step | undefined {
  if (part.type === 'text-delta') told.say(part.text);
  else if (part.type === 'reasoning-delta') told.think(part.text);
  else if (part.type === 'tool-input-start' && part.providerExecuted !== true) told.start(part.id, part.toolName);
  else if (part.type === 'tool-input-delta') told.input(part.id, part.delta);
  else if (part.type === 'tool-call' && part.providerExecuted !== true) told.call(part);
  else if (part.type === 'finish-step') told.finish(part.usage, part.finishReason);
  else if (part.type === 'error') return told.failed(failureOf(model, part.error));
  else if (part.type === 'abort') return told.partly('aborted');
  return undefined;
}
