import type { TranscriptMessage, TranscriptPart } from '../../../runtimes/runtime.ts';
import type { SessionEvent } from '../../../sessions/events/session-event.ts';
import type { Session } from '../../../sessions/sessions.ts';

/** Redacts JSON text as the journal does: registered values and text that looks like a secret. */
type RedactJson = (text: string) => string;

type TextPiece = Extract<SessionEvent, { type: 'text_delta' | 'thinking_delta' }>;

/** How many events before the requested place are read to find where a text began. */
export const maxLookBack = 5000;

/**
 * Sessions as viewers see them: without the parts of calls that an approval hides. Redacts everything else in a session too,
 * since results and the model's own text repeat arguments.
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
    const unshown: TranscriptPart = { type: 'text', text: '[redacted]' };
    return { ...message, content: message.content.map((part) => this.#value(part) ?? unshown) };
  }

  /** Returns one event without pieces of text, in which a secret cannot be recognised; `undefined` when nothing of it can be shown. */
  event<Event extends SessionEvent>(event: Event): Event | undefined {
    if (event.type === 'text_delta' || event.type === 'thinking_delta') return { ...event, text: '' };
    if (event.type === 'tool_call_delta') return { ...event, inputJson: '' };
    // Its arguments are those of the approval, and `hidden` has positions in them.
    return event.type === 'approval_required' ? event : this.#value(event);
  }

  /**
   * Yields the events after `after`. The last piece of a text carries all of it, and the pieces before are empty. `events` begin
   * up to `maxLookBack` earlier, so that a text is redacted as a whole wherever a client resumes.
   */
  async *events(events: AsyncIterable<SessionEvent>, after: number): AsyncGenerator<SessionEvent, void, undefined> {
    let held: TextPiece | undefined;
    // The beginning of a text that goes on here was not read, so nothing of it is shown.
    let isCut: TextPiece['type'] | undefined;
    let isFirst = true;
    for await (const event of events) {
      const isPiece = event.type === 'text_delta' || event.type === 'thinking_delta';
      if (isFirst && isPiece && event.seq > 1) isCut = event.type;
      isFirst = false;
      const continues = isPiece && held?.type === event.type;
      if (held !== undefined && held.seq > after) yield continues ? { ...held, text: '' } : this.#whole(held);
      if (!isPiece || event.type !== isCut) isCut = undefined;
      if (isPiece) {
        const before = continues ? (held?.text ?? '') : '';
        held = { ...event, text: isCut === undefined ? before + event.text : '' };
        continue;
      }
      held = undefined;
      const shown = event.seq > after ? this.event(event) : undefined;
      if (shown !== undefined) yield shown;
    }
  }

  #whole(piece: TextPiece): TextPiece {
    return { ...piece, text: this.#value(piece.text) ?? '' };
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
