import type { Command } from 'commander';

const withValue = new Set(['--config', '--data']);

/** The command that a command line means, as far as there is one: `signalbox token create`. */
export function commandPath(program: Command, argv: readonly string[]): string {
  let command = program;
  const path = [program.name()];
  for (const [index, word] of argv.entries()) {
    if (word.startsWith('-') || withValue.has(argv[index - 1] ?? '')) continue;
    const named = command.commands.find((each) => each.name() === word);
    if (named === undefined) break;
    command = named;
    path.push(word);
  }
  return path.join(' ');
}
