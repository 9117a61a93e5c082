import { StepEvents } from '../step-events.ts';
import type { StepResult, StepRequest } from '../step.ts';
import { ModelToolSet } from '../tools/model-tool-set.ts';
import { toProviderFailure, retryDelayMs } from './provider-failure.ts';
import { type AssistantModelMessage, type TextStreamPart, type ToolSet, streamText } from 'ai';
import { setTimeout as pause } from 'node:timers/promises';

deduplicateWarnings();

/**
 * Requests a step of the model, and emits its answer while it arrives. Retries a request that failed temporarily, unless part of an answer has
 * arrived.
 */
export async function requestStep(request: StepRequest): Promise<StepResult> {
  for (let retries = 0; ; retries += 1) {
    const attempt = await askOnce(request);
    const delay = 'thrown' in attempt ? retryDelayMs(attempt.thrown, retries) : undefined;
    if (delay === undefined) return attempt.step;
    await pause(delay, undefined, { signal: request.signal }).catch(() => undefined);
    if (request.signal.aborted) return { ended: 'aborted', message: undefined, usage: undefined };
  }
}

/** One request and how it ended; `thrown` when it failed before anything of an answer arrived. */
type Attempt = { readonly step: StepResult } | { readonly step: StepResult; readonly thrown: unknown };

async function askOnce(request: StepRequest): Promise<Attempt> {
  const events = new StepEvents(request);
  const failed = (thrown: unknown): Attempt => {
    const hasBegun = events.hasBegun;
    const step = events.failed(toProviderFailure(request.chosen.name, thrown));
    return hasBegun ? { step } : { step, thrown };
  };
  const { model, provider, options } = request.chosen;
  if (model === 'demo') throw new TypeError('the demo model has no provider');
  try {
    const tools = new ModelToolSet(request.tools, provider);
    const result = streamText({
      model,
      ...(options === undefined ? {} : { providerOptions: { [provider]: options } }),
      ...(request.instructions === '' ? {} : { instructions: request.instructions }),
      messages: [...request.messages],
      tools: tools.set,
      abortSignal: request.signal,
      // The AI SDK ignores a `Retry-After` above one minute and retries after two seconds.
      maxRetries: 0,
      ...request.settings,
      ...(request.answerTokens === undefined ? {} : { maxOutputTokens: request.answerTokens }),
      // Reported as an event; the AI SDK would also print it.
      onError: () => undefined,
    });
    for await (const part of result.fullStream) {
      if (part.type === 'error') return failed(part.error);
      if (part.type === 'abort') return { step: events.partly('aborted') };
      report(part, events, tools);
    }
    if (request.signal.aborted) return { step: events.partly('aborted') };
    const { messages } = await result.response;
    return { step: events.ended(messages.find((one): one is AssistantModelMessage => one.role === 'assistant')) };
  } catch (error) {
    return request.signal.aborted ? { step: events.partly('aborted') } : failed(error);
  }
}

/** Reports one part of the answer. */
function report(part: TextStreamPart<ToolSet>, events: StepEvents, tools: ModelToolSet): void {
  if (part.type === 'text-delta') events.say(part.text);
  else if (part.type === 'reasoning-delta') events.think(part.text);
  else if (part.type === 'tool-input-start' && part.providerExecuted !== true) events.start(part.id, part.toolName);
  else if (part.type === 'tool-input-delta') events.input(part.id, part.delta);
  else if (part.type === 'tool-call' && part.providerExecuted !== true)
    events.call({ ...part, input: tools.restore(part.toolName, part.input) });
  else if (part.type === 'finish-step') events.finish(part.usage, part.finishReason);
}

/** Emits each warning of the AI SDK once; it repeats them with every step. Keeps a handler that the host has set. */
function deduplicateWarnings(): void {
  const emitted = new Set<string>();
  globalThis.AI_SDK_LOG_WARNINGS ??= ({ warnings, provider = 'model', model = '' }) => {
    for (const warning of warnings) {
      const text = `${provider} ${model}: ${JSON.stringify(warning)}`;
      if (emitted.has(text)) continue;
      emitted.add(text);
      process.emitWarning(text, 'SignalboxWarning');
    }
  };
}
