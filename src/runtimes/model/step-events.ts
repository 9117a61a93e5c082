import type { AssistantModelMessage, FinishReason } from 'ai';
import { text } from '../../core/tools/content.ts';
import { type JsonObject, isJsonObject } from '../../core/json/json.ts';
import type { Failure, RequestedCall, StepResult, StepRequest } from './step.ts';
import type { Usage } from './turn-budget.ts';

/** Emits the events of a step while its answer arrives, and collects its result. */
export class StepEvents {
  #usage: Usage | undefined;
  #finishReason: FinishReason = 'other';
  readonly #request: StepRequest;
  readonly #started = new Set<string>();
  readonly #calls: RequestedCall[] = [];
  #text = '';
  #hasThought = false;

  constructor(request: StepRequest) {
    this.#request = request;
  }

  /** Whether anything of an answer was reported. */
  get hasBegun(): boolean {
    return this.#text !== '' || this.#hasThought || this.#started.size > 0;
  }

  say(delta: string): void {
    if (delta === '') return;
    this.#text += delta;
    this.#request.emit({ type: 'text_delta', text: delta });
  }

  think(delta: string): void {
    if (delta === '') return;
    this.#hasThought = true;
    this.#request.emit({ type: 'thinking_delta', text: delta });
  }

  start(toolCallId: string, toolName: string): void {
    if (this.#started.has(toolCallId)) return;
    this.#started.add(toolCallId);
    this.#request.emit({ type: 'tool_call_start', toolCallId, toolName, ...this.#request.identify(toolName) });
  }

  input(toolCallId: string, inputJson: string): void {
    if (this.#started.has(toolCallId) && inputJson !== '')
      this.#request.emit({ type: 'tool_call_delta', toolCallId, inputJson });
  }

  call({ toolCallId, toolName, input }: RequestedCall): void {
    this.start(toolCallId, toolName);
    this.#request.emit({ type: 'tool_call_end', toolCallId, input: objectOf(input) });
    this.#calls.push({ toolCallId, toolName, input });
  }

  finish(usage: Usage, reason: FinishReason): void {
    [this.#usage, this.#finishReason] = [usage, reason];
  }

  /** Returns the result of a finished answer, depending on the provider's finish reason. */
  ended(message: AssistantModelMessage | undefined): StepResult {
    switch (this.#finishReason) {
      case 'length':
        return this.partly('cut');
      case 'content-filter':
        return this.#refused('model-filtered', 'refused to continue: its content filter stopped the answer');
      case 'error':
      case 'interrupted':
        return this.#refused('model-failed', 'stopped in the middle of its answer');
      case 'stop':
      case 'tool-calls':
      case 'other':
        if (this.#text.trim() === '' && this.#calls.length === 0)
          return this.#refused('model-empty', 'gave an empty answer: ask again, or choose another model');
        return { ended: 'complete', message, calls: this.#calls, usage: this.#usage };
    }
  }

  partly(ended: 'aborted' | 'cut'): StepResult {
    return { ended, ...this.#partialResult() };
  }

  failed(failure: Failure): StepResult {
    return { ended: 'failed', failure, ...this.#partialResult() };
  }

  #refused(code: string, what: string): StepResult {
    return this.failed({ code, message: `${this.#request.chosen.name} ${what}`, lasting: false });
  }

  /** Returns the text so far, and cancels the requested calls, because the answer is incomplete. */
  #partialResult(): Pick<StepResult, 'message' | 'usage'> {
    const content = [text('not run: the answer that requested it is incomplete')];
    for (const { toolCallId } of this.#calls)
      this.#request.emit({ type: 'tool_result', toolCallId, outcome: 'cancelled', content, durationMs: 0 });
    return { message: this.#textMessage(), usage: this.#usage };
  }

  #textMessage(): AssistantModelMessage | undefined {
    return this.#text === '' ? undefined : { role: 'assistant', content: this.#text };
  }
}

function objectOf(input: unknown): JsonObject {
  return isJsonObject(input) ? input : {};
}
