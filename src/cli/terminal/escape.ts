import { escapeCharacter, escapeInvisible } from '../../core/text/escape-invisible.ts';

/** Text from a tool on one line, without anything that could move the cursor or hide what is there. */
export function oneLine(text: string): string {
  return escapeInvisible(text.replaceAll(/\s+/g, ' ')).trim();
}

/** Text that people decide on, on one line and as it is: every space stays, and other blanks are escaped. */
export function exactLine(text: string): string {
  return escapeInvisible(text).replaceAll(/[^\S ]/gu, escapeCharacter);
}

/** Text from a tool for a terminal: its lines stay, everything that could act on the terminal becomes visible. */
export function printable(text: string): string {
  return escapeInvisible(text, '\n\t');
}
