/** One thing that was looked at: how it is, and what to do when it is not well. */
export interface Finding {
  readonly level: 'ok' | 'warning' | 'error';
  readonly what: string;
  readonly fix?: string;
}
