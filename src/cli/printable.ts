import { escapeInvisible } from '../model/escape-invisible.ts';

/** Text from a tool on one line, without anything that could move the cursor or hide what is there. */
export function oneLine(text: string): string {
  return escapeInvisible(text.replaceAll(/\s+/g, ' ')).trim();
}

/** Text from a tool for a terminal: its lines stay, everything that could act on the terminal becomes visible. */
export function printable(text: string): string {
  return escapeInvisible(text, '\n\t');
}
