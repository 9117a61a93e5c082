/** The result of one check: its level, a description, and a fix unless the level is `ok`. */
export interface Finding {
  readonly level: 'ok' | 'warning' | 'error';
  readonly what: string;
  readonly fix?: string;
}
