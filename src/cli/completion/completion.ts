import { Argument, type Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { scripts } from './scripts.ts';
import { placesOf } from './words.ts';

/** `signalbox completion`: what a shell needs to complete commands and options. */
export function addCompletionCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('completion')
    .summary('print a completion script for your shell')
    .description('Prints a script that completes commands and options.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .addHelpText('after', examples)
    .action(async (shell: string) => {
      await terminal.output.print(scripts[shell]?.(placesOf(program)) ?? '');
    });
}

const examples = `
Examples:
  source <(signalbox completion bash)      in ~/.bashrc
  source <(signalbox completion zsh)       in ~/.zshrc, after compinit
  signalbox completion fish > ~/.config/fish/completions/signalbox.fish`;
