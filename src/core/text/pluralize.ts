/** Returns a count with its noun: `1 tool`, `2 tools`. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
