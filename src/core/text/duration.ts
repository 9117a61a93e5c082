const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** What people can write for a duration, to go on from "expected …". */
export const durationSyntax = 'a number with a unit: 500ms, 90s, 15m, 1h, 7d';

/** Reads `90s`, `15m`, `1h`, `7d` as milliseconds. */
export function parseDurationMs(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,12}(?:\.\d{1,12})?)(ms|s|m|h|d|w)$/.exec(text) ?? [];
  const milliseconds = Number(amount) * (units[unit] ?? Number.NaN);
  return Number.isFinite(milliseconds) ? milliseconds : undefined;
}
