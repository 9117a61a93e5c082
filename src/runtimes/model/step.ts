import {
  type AssistantModelMessage,
  type FinishReason,
  type LanguageModelUsage,
  type ModelMessage,
  type TextStreamPart,
  type ToolSet,
  streamText,
} from 'ai';
import { text } from '../../model/content.ts';
import { type JsonObject, isJsonObject } from '../../model/json.ts';
import type { ToolId } from '../../model/tool.ts';
import type { TurnEvent } from '../runtime.ts';
import { type Failure, failureOf } from './failure.ts';
import type { ChosenModel } from './models.ts';

/** What the model is asked in one step. */
export interface StepRequest {
  readonly chosen: ChosenModel;
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: ToolSet;
  readonly signal: AbortSignal;
  /** The most that it may answer; as the provider has it when absent. */
  readonly answerTokens: number | undefined;
  tell(event: TurnEvent): void;
  /** The server and the tool behind a name. */
  identify(name: string): ToolId;
}

/** A call that the model wants made. */
export interface RequestedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** As the model gave it: an object, or whatever it said in the place of one. */
  readonly input: unknown;
}

/** How a step ended, and what it adds to the conversation. */
export type Step = {
  readonly message: AssistantModelMessage | undefined;
  readonly usage: LanguageModelUsage | undefined;
} & (
  | { readonly ended: 'complete'; readonly calls: readonly RequestedCall[] }
  | { readonly ended: 'aborted' | 'cut' }
  | { readonly ended: 'failed'; readonly failure: Failure }
);

/** Asks the model once, tells what it says while it says it, and collects the calls it wants made. */
export async function takeStep(request: StepRequest): Promise<Step> {
  const told = new ToldStep(request);
  const { model, provider, options } = request.chosen;
  try {
    const result = streamText({
      model,
      ...(options === undefined ? {} : { providerOptions: { [provider]: options } }),
      instructions: request.instructions,
      messages: [...request.messages],
      tools: request.tools,
      abortSignal: request.signal,
      ...(request.answerTokens === undefined ? {} : { maxOutputTokens: request.answerTokens }),
      // Told as an event; the AI SDK would print it.
      onError: () => undefined,
    });
    for await (const part of result.fullStream) {
      const ended = told.take(part);
      if (ended !== undefined) return ended;
    }
    if (request.signal.aborted) return told.partly('aborted');
    return told.ended(await result.response);
  } catch (error) {
    return request.signal.aborted ? told.partly('aborted') : told.failed(error);
  }
}

/** What a step has told so far. */
class ToldStep {
  #usage: LanguageModelUsage | undefined;
  #finishReason: FinishReason = 'other';
  readonly #request: StepRequest;
  readonly #started = new Set<string>();
  readonly #calls: RequestedCall[] = [];
  #text = '';

  constructor(request: StepRequest) {
    this.#request = request;
  }

  /** Tells what came, and gives back the step when that was its end before its time. */
  take(part: TextStreamPart<ToolSet>): Step | undefined {
    if (part.type === 'text-delta') this.#say(part.text);
    else if (part.type === 'reasoning-delta') this.#think(part.text);
    else if (part.type === 'tool-input-start' && part.providerExecuted !== true) this.#start(part.id, part.toolName);
    else if (part.type === 'tool-input-delta') this.#input(part.id, part.delta);
    else if (part.type === 'tool-call' && part.providerExecuted !== true) this.#call(part);
    else if (part.type === 'finish-step') [this.#usage, this.#finishReason] = [part.usage, part.finishReason];
    else if (part.type === 'error') return this.failed(part.error);
    else if (part.type === 'abort') return this.partly('aborted');
    return undefined;
  }

  #say(delta: string): void {
    if (delta === '') return;
    this.#text += delta;
    this.#request.tell({ type: 'text_delta', text: delta });
  }

  #think(delta: string): void {
    if (delta !== '') this.#request.tell({ type: 'thinking_delta', text: delta });
  }

  #start(toolCallId: string, toolName: string): void {
    if (this.#started.has(toolCallId)) return;
    this.#started.add(toolCallId);
    this.#request.tell({ type: 'tool_call_start', toolCallId, toolName, ...this.#request.identify(toolName) });
  }

  #input(toolCallId: string, inputJson: string): void {
    if (this.#started.has(toolCallId) && inputJson !== '')
      this.#request.tell({ type: 'tool_call_delta', toolCallId, inputJson });
  }

  #call({ toolCallId, toolName, input }: RequestedCall): void {
    this.#start(toolCallId, toolName);
    this.#request.tell({ type: 'tool_call_end', toolCallId, input: objectOf(input) });
    this.#calls.push({ toolCallId, toolName, input });
  }

  /** The answer is here; whether it is whole, the provider says. */
  ended({ messages }: { readonly messages: readonly ModelMessage[] }): Step {
    switch (this.#finishReason) {
      case 'length':
        return this.partly('cut');
      case 'content-filter':
        return this.#refused('model-filtered', 'refused to go on: its content filter stopped the answer');
      case 'error':
      case 'interrupted':
        return this.#refused('model-failed', 'broke off in the middle of its answer');
      case 'stop':
      case 'tool-calls':
      case 'other': {
        const message = messages.find((one): one is AssistantModelMessage => one.role === 'assistant');
        return { ended: 'complete', message, calls: this.#calls, usage: this.#usage };
      }
    }
  }

  partly(ended: 'aborted' | 'cut'): Step {
    return { ended, ...this.#soFar() };
  }

  failed(error: unknown): Step {
    return { ended: 'failed', failure: failureOf(this.#request.chosen.name, error), ...this.#soFar() };
  }

  #refused(code: string, what: string): Step {
    const failure = { code, message: `${this.#request.chosen.name} ${what}`, lasting: false };
    return { ended: 'failed', failure, ...this.#soFar() };
  }

  /** What was said so far stays; calls that were asked for are not made, for the answer may have gone on otherwise. */
  #soFar(): Pick<Step, 'message' | 'usage'> {
    const content = [text('not made: the answer that asked for it is not whole')];
    for (const { toolCallId } of this.#calls)
      this.#request.tell({ type: 'tool_result', toolCallId, outcome: 'cancelled', content, durationMs: 0 });
    return { message: this.#said(), usage: this.#usage };
  }

  #said(): AssistantModelMessage | undefined {
    return this.#text === '' ? undefined : { role: 'assistant', content: this.#text };
  }
}

function objectOf(input: unknown): JsonObject {
  return isJsonObject(input) ? input : {};
}
