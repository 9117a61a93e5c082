/** What policy says of a call, and why. */
export interface Decision {
  readonly answer: 'allow' | 'ask' | 'deny';
  /** The id of the rule that decided. */
  readonly rule: string;
  readonly reason: string;
}
