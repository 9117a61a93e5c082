import type { TurnEvent } from '../../runtimes/runtime.ts';
import type { SessionBox } from '../session-box.ts';

type TextDelta = Extract<TurnEvent, { type: 'text_delta' | 'thinking_delta' | 'tool_call_delta' }>;

/**
 * Redacts streamed text. A secret can be split over several deltas, none of which contains it; so text that may be the
 * beginning of a secret is held back until the following text decides.
 */
export class StreamRedactor {
  readonly #box: Pick<SessionBox, 'secrets' | 'secretTail'>;
  #held: TextDelta | undefined;

  constructor(box: Pick<SessionBox, 'secrets' | 'secretTail'>) {
    this.#box = box;
  }

  /** Adds an event and returns the events that can be emitted now. */
  push(event: TurnEvent): readonly TurnEvent[] {
    if (event.type === 'status' || event.type === 'memory') return [event];
    if (!isTextDelta(event)) return [...this.flush(), event];
    const isContinued = this.#held !== undefined && isSameText(this.#held, event);
    const before = isContinued ? [] : this.flush();
    const text = this.#box.secrets.redact((this.#held === undefined ? '' : textOf(this.#held)) + textOf(event));
    const tail = this.#box.secretTail(text);
    this.#held = tail === 0 ? undefined : withText(event, text.slice(-tail));
    return tail === text.length ? before : [...before, withText(event, text.slice(0, text.length - tail))];
  }

  /** Returns the held text, because no more text follows it. */
  flush(): readonly TurnEvent[] {
    const rest = this.#held === undefined ? [] : [this.#held];
    this.#held = undefined;
    return rest;
  }
}

function isTextDelta(event: TurnEvent): event is TextDelta {
  return event.type === 'text_delta' || event.type === 'thinking_delta' || event.type === 'tool_call_delta';
}

function isSameText(one: TextDelta, other: TextDelta): boolean {
  return one.type === other.type && callOf(one) === callOf(other);
}

function callOf(piece: TextDelta): string {
  return piece.type === 'tool_call_delta' ? piece.toolCallId : '';
}

function textOf(piece: TextDelta): string {
  return piece.type === 'tool_call_delta' ? piece.inputJson : piece.text;
}

function withText(piece: TextDelta, text: string): TextDelta {
  return piece.type === 'tool_call_delta' ? { ...piece, inputJson: text } : { ...piece, text };
}
