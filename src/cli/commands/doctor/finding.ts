/** The result of one check: its level, a description, and a fix unless the level is `ok`. */
export interface Finding {
  readonly level: 'ok' | 'warning' | 'error';
  readonly what: string;
  readonly fix?: string;
}

export function ok(what: string): Finding {
  return { level: 'ok', what };
}

export function warning(what: string, fix: string): Finding {
  return { level: 'warning', what, fix };
}

/** Creates a finding of the level `error`. */
export function problem(what: string, fix: string): Finding {
  return { level: 'error', what, fix };
}
