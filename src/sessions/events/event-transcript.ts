import type { TranscriptMessage, TranscriptPart } from '../../runtimes/runtime.ts';
import type { SessionEvent } from './session-event.ts';

type ToolCallPart = Extract<TranscriptPart, { type: 'tool_call' }>;

/** Builds a transcript from session events: for each turn the message of the user and the answer of the agent. */
export class TranscriptBuilder {
  readonly messages: TranscriptMessage[] = [];
  #parts: TranscriptPart[] = [];
  /** The index of each call of the turn in its parts. */
  readonly #calls = new Map<string, number>();
  #turn = '';

  add(event: SessionEvent): void {
    switch (event.type) {
      case 'user_message':
        this.#begin(event);
        break;
      case 'text_delta':
      case 'thinking_delta':
        this.#say(event, event.type === 'text_delta' ? 'text' : 'thinking', event.text);
        break;
      case 'tool_call_start': {
        const { toolCallId, toolName } = event;
        this.#calls.set(toolCallId, this.#parts.length);
        this.#push(event, { type: 'tool_call', toolCallId, toolName, input: {} });
        break;
      }
      case 'tool_call_end':
        this.#change(event.toolCallId, (call) => ({ ...call, input: event.input }));
        break;
      case 'tool_result': {
        const { outcome, content, durationMs } = event;
        const result = { outcome, isError: outcome !== 'completed', content, durationMs };
        this.#change(event.toolCallId, (call) => ({ ...call, result }));
        break;
      }
      case 'tool_call_delta':
      case 'tool_progress':
      case 'session_status':
      case 'approval_required':
      case 'approval_resolved':
      case 'question_prompt':
      case 'question_answered':
      case 'elicitation_required':
      case 'elicitation_resolved':
      case 'sampling_result':
      case 'error':
      case 'done':
    }
  }

  #begin({ turnId, at, content }: Extract<SessionEvent, { type: 'user_message' }>): void {
    this.#turn = turnId;
    this.#parts = [];
    this.#calls.clear();
    this.messages.push({ id: turnId, role: 'user', at, content: [{ type: 'text', text: content }] });
  }

  #say(event: SessionEvent, type: 'text' | 'thinking', text: string): void {
    const last = this.#parts.at(-1);
    if (last?.type === type) this.#parts[this.#parts.length - 1] = { type, text: last.text + text };
    else this.#push(event, { type, text });
  }

  #push({ at }: SessionEvent, part: TranscriptPart): void {
    if (this.#parts.length === 0)
      this.messages.push({ id: `${this.#turn}-answer`, role: 'assistant', at, content: this.#parts });
    this.#parts.push(part);
  }

  #change(toolCallId: string, change: (call: ToolCallPart) => ToolCallPart): void {
    const index = this.#calls.get(toolCallId);
    const call = index === undefined ? undefined : this.#parts[index];
    if (index !== undefined && call?.type === 'tool_call') this.#parts[index] = change(call);
  }
}
