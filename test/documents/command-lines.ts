import type { Command } from 'commander';
import { type Page, blocksOf } from './pages.ts';

/** A `signalbox` command in a shell block of a page. */
export interface CommandLine {
  readonly words: readonly string[];
  readonly line: number;
}

/** Returns the `signalbox` commands in the shell blocks of a page. */
export function commandLinesOf(page: Page): CommandLine[] {
  return blocksOf(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text, line }) =>
      text.split('\n').flatMap((each, index) =>
        [...each.matchAll(/(?:^|[|(;&] ?|\$\()(?:npx |bin\/)?signalbox ([^#|)]*)/g)].map(([, rest = '']) => ({
          words: wordsOf(rest),
          line: line + index,
        })),
      ),
    );
}

/** Splits a command line into words. A quoted text is one word. */
export function wordsOf(text: string): string[] {
  return (text.match(/'[^']*'|"[^"]*"|[^\s[\]]+/g) ?? []).filter((word) => word !== '…');
}

/** Returns a problem for each command and option of a command line that does not exist. */
export function unknownParts(program: Command, words: readonly string[]): string[] {
  const end = words.findIndex((word) => !/^[a-z/-]+$/.test(word) || word.startsWith('-'));
  const named = end === -1 ? words : words.slice(0, end);
  let found = [program];
  for (const word of named) {
    // `secret set/list` names two commands, and a word after a command without subcommands is its argument.
    const next = found.flatMap(({ commands }) =>
      word
        .split('/')
        .flatMap((name) => commands.find((each) => each.name() === name || each.aliases().includes(name)) ?? []),
    );
    if (next.length === 0 && found.every(({ registeredArguments }) => registeredArguments.length > 0)) break;
    if (next.length !== word.split('/').length) return [`there is no command ${words.join(' ')}`];
    found = next;
  }
  const own = words.slice(0, words.includes('--') ? words.indexOf('--') : undefined);
  return own
    .map((word) => word.split('=')[0] ?? '')
    .filter((word) => /^--[a-z]/.test(word))
    .flatMap((option) =>
      found
        .filter((command) => ![...command.options, ...program.options].some(({ long }) => long === option))
        .map((command) => `${command.name()} has no ${option}`),
    );
}
