const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** The accepted syntax, as the end of a message "expected …". */
export const durationSyntax = 'a number with a unit: 500ms, 90s, 15m, 1h, 7d';

/** Parses `90s`, `15m`, `1h` or `7d` to milliseconds. Returns `undefined` for any other text. */
export function parseDurationMs(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,12}(?:\.\d{1,12})?)(ms|s|m|h|d|w)$/.exec(text) ?? [];
  const milliseconds = Number(amount) * (units[unit] ?? Number.NaN);
  return Number.isFinite(milliseconds) ? milliseconds : undefined;
}
