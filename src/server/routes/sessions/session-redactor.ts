import type { TranscriptMessage, TranscriptPart } from '../../../runtimes/runtime.ts';
import type { SessionEvent } from '../../../sessions/events/session-event.ts';
import type { Session } from '../../../sessions/sessions.ts';

/** Redacts JSON text as the journal does: registered values and text that looks like a secret. */
type RedactJson = (text: string) => string;

type TextDelta = Extract<SessionEvent, { type: 'text_delta' | 'thinking_delta' }>;

/** The number of earlier events that are read to find the beginning of a text. */
export const maxLookback = 5000;

/**
 * Redacts sessions for viewers, who must not see the hidden parts of calls. It redacts all text of a session, because results and the
 * text of the model repeat arguments.
 */
export class SessionRedactor {
  readonly #redact: RedactJson;

  constructor(redact: RedactJson) {
    this.#redact = redact;
  }

  session(session: Session): Session {
    return { ...session, title: this.#value(session.title) ?? '' };
  }

  message(message: TranscriptMessage): TranscriptMessage {
    const redactedPart: TranscriptPart = { type: 'text', text: '[redacted]' };
    return { ...message, content: message.content.map((part) => this.#value(part) ?? redactedPart) };
  }

  /** Returns a redacted event; `undefined` when nothing of it can be shown. Text deltas are emptied, because a part of a secret cannot be recognized. */
  event<Event extends SessionEvent>(event: Event): Event | undefined {
    if (event.type === 'text_delta' || event.type === 'thinking_delta') return { ...event, text: '' };
    if (event.type === 'tool_call_delta') return { ...event, inputJson: '' };
    // Its arguments are redacted already, and `hidden` contains positions in them.
    return event.type === 'approval_required' ? event : this.#value(event);
  }

  /**
   * Yields the redacted events after `after`. The last delta of a text contains the whole text, and earlier ones are empty. `events`
   * start up to `maxLookback` events earlier, so that a text is redacted as a whole.
   */
  async *events(events: AsyncIterable<SessionEvent>, after: number): AsyncGenerator<SessionEvent, void, undefined> {
    let held: TextDelta | undefined;
    // A text whose beginning was not read is not shown.
    let cutType: TextDelta['type'] | undefined;
    let isFirst = true;
    for await (const event of events) {
      const isDelta = event.type === 'text_delta' || event.type === 'thinking_delta';
      if (isFirst && isDelta && event.seq > 1) cutType = event.type;
      isFirst = false;
      const continues = isDelta && held?.type === event.type;
      if (held !== undefined && held.seq > after) yield continues ? { ...held, text: '' } : this.#completeText(held);
      if (!isDelta || event.type !== cutType) cutType = undefined;
      if (isDelta) {
        const before = continues ? (held?.text ?? '') : '';
        held = { ...event, text: cutType === undefined ? before + event.text : '' };
        continue;
      }
      held = undefined;
      const shown = event.seq > after ? this.event(event) : undefined;
      if (shown !== undefined) yield shown;
    }
  }

  #completeText(delta: TextDelta): TextDelta {
    return { ...delta, text: this.#value(delta.text) ?? '' };
  }

  /** Returns `undefined` when redaction leaves no value of the same shape. */
  #value<Value extends string | object>(value: Value): Value | undefined {
    const text = JSON.stringify(value);
    const redacted = this.#redact(text);
    if (redacted === text) return value;
    const parsed: unknown = JSON.parse(redacted);
    return typeof parsed === typeof value ? (parsed as Value) : undefined;
  }
}
