import type { Argument, Command, Option } from 'commander';
import { createProgram } from '../../../src/cli/program.ts';
import { processTerminal } from '../../../src/cli/terminal/terminal.ts';
import { cell } from './markdown.ts';

/** Returns the reference page of the command line, from the commands. */
export async function commandLinePage(): Promise<string> {
  const program = await createProgram({ terminal: processTerminal(), exitWith: () => undefined });
  return [
    '# Command line\n',
    'This page lists every command with its arguments and options. In a clone, use `bin/signalbox COMMAND` instead of `signalbox COMMAND`.\n',
    'The exit code is 0 on success, 1 if the command failed or found a problem, and 2 for invalid usage or configuration. Errors contain a [code](../troubleshooting.md) and the next command to run.\n',
    commandTable(program),
    'All commands have these options:\n',
    optionTable(program.options),
    ...visible(program).flatMap((command) => sectionOf(command, 2)),
  ].join('\n');
}

/** Returns a table of all commands with their summaries. */
function commandTable(program: Command): string {
  const rows = visible(program).map((command) => `| \`${command.name()}\` | ${cell(command.summary())} |`);
  return `| command | purpose |\n|---|---|\n${rows.join('\n')}\n`;
}

/** Returns the commands that the help text shows, except `help`. */
function visible(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help');
}

function sectionOf(command: Command, level: number): string[] {
  const own = command.options.filter(({ hidden }) => !hidden);
  return [
    `${'#'.repeat(level)} \`${usageOf(command)}\`\n`,
    `${command.description()}\n`,
    ...(command.registeredArguments.some(({ description }) => description !== '')
      ? [argumentTable(command.registeredArguments)]
      : []),
    ...(own.length > 0 ? [optionTable(own)] : []),
    ...visible(command).flatMap((each) => sectionOf(each, level + 1)),
  ];
}

/** Returns the command with its required and optional arguments. */
function usageOf(command: Command): string {
  const names: string[] = [];
  for (let each: Command | null = command; each?.parent; each = each.parent) names.unshift(each.name());
  const given = command.registeredArguments.map((argument) => {
    const shown = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${shown}>` : `[${shown}]`;
  });
  return [...names, ...given].join(' ');
}

function argumentTable(given: readonly Argument[]): string {
  const rows = given.map((argument) => `| \`${argument.name()}\` | ${cell(argument.description)} |`);
  return `| argument | meaning |\n|---|---|\n${rows.join('\n')}\n`;
}

function optionTable(options: readonly Option[]): string {
  const rows = options.map((option) => {
    const facts = [
      option.defaultValue === undefined || String(option.defaultValue) === '' || option.description.includes('default:')
        ? undefined
        : `default: \`${String(option.defaultValueDescription ?? option.defaultValue)}\``,
      option.argChoices === undefined ? undefined : option.argChoices.map((choice) => `\`${choice}\``).join(' · '),
      option.envVar === undefined ? undefined : `variable: \`${option.envVar}\``,
    ].filter((fact) => fact !== undefined);
    return `| \`${option.flags}\` | ${cell(option.description)}${facts.length === 0 ? '' : ` (${facts.join('; ')})`} |`;
  });
  return `| option | meaning |\n|---|---|\n${rows.join('\n')}\n`;
}
