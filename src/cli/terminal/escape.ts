import { escapeCharacter, escapeInvisible } from '../../core/text/escape-invisible.ts';

/** Joins text into one line and escapes control and invisible characters. */
export function oneLine(text: string): string {
  return escapeInvisible(text.replaceAll(/\s+/g, ' ')).trim();
}

/** Escapes text for one line without collapsing spaces, for text that a user decides on. */
export function exactLine(text: string): string {
  return escapeInvisible(text).replaceAll(/[^\S ]/gu, escapeCharacter);
}

/** Escapes control and invisible characters in text of several lines. */
export function printable(text: string): string {
  return escapeInvisible(text, '\n\t');
}
