import type { TurnEvent } from '../runtimes/runtime.ts';
import type { SessionBox } from './session-box.ts';

type Piece = Extract<TurnEvent, { type: 'text_delta' | 'thinking_delta' | 'tool_call_delta' }>;

/**
 * Text comes piece by piece, and so does a secret in it, which in none of the pieces would be recognised. What may be its
 * beginning is held until it is known to be none.
 */
export class HeldPieces {
  readonly #box: Pick<SessionBox, 'secrets' | 'secretTail'>;
  #held: Piece | undefined;

  constructor(box: Pick<SessionBox, 'secrets' | 'secretTail'>) {
    this.#box = box;
  }

  /** What can be told, now that this has happened. */
  take(event: TurnEvent): readonly TurnEvent[] {
    if (event.type === 'status' || event.type === 'memory') return [event];
    if (!isPiece(event)) return [...this.rest(), event];
    const goesOn = this.#held !== undefined && isSameText(this.#held, event);
    const before = goesOn ? [] : this.rest();
    const text = this.#box.secrets.redact((this.#held === undefined ? '' : textOf(this.#held)) + textOf(event));
    const tail = this.#box.secretTail(text);
    this.#held = tail === 0 ? undefined : withText(event, text.slice(-tail));
    return tail === text.length ? before : [...before, withText(event, text.slice(0, text.length - tail))];
  }

  /** What is held: nothing more comes that it could be the beginning of. */
  rest(): readonly TurnEvent[] {
    const rest = this.#held === undefined ? [] : [this.#held];
    this.#held = undefined;
    return rest;
  }
}

function isPiece(event: TurnEvent): event is Piece {
  return event.type === 'text_delta' || event.type === 'thinking_delta' || event.type === 'tool_call_delta';
}

function isSameText(one: Piece, other: Piece): boolean {
  return one.type === other.type && callOf(one) === callOf(other);
}

function callOf(piece: Piece): string {
  return piece.type === 'tool_call_delta' ? piece.toolCallId : '';
}

function textOf(piece: Piece): string {
  return piece.type === 'tool_call_delta' ? piece.inputJson : piece.text;
}

function withText(piece: Piece, text: string): Piece {
  return piece.type === 'tool_call_delta' ? { ...piece, inputJson: text } : { ...piece, text };
}
