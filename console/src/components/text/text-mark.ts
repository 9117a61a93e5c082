/** A highlighted span of a string in a JSON value, with a label. */
export interface TextMark {
  /** JSON Pointer (RFC 6901) to the string, or to the property whose name has the span. */
  readonly path: string;
  readonly isInName: boolean;
  readonly start: number;
  readonly end: number;
  readonly tone: 'hidden' | 'revealed';
  readonly words: string;
}
