import type { Command, Option } from 'commander';

/** Something that can stand next on a command line, and what it means. */
export interface Word {
  readonly text: string;
  readonly about: string;
}

/** What can come after some commands; the path of the program itself is empty. */
export interface Place {
  readonly path: string;
  readonly words: readonly Word[];
  /** Options of the place that take a value: what follows them is no command. */
  readonly valued: readonly string[];
}

/** Everything that can stand on a command line, by where. */
export function placesOf(program: Command): readonly Place[] {
  return visit(program, [], program.options);
}

function visit(command: Command, path: readonly string[], globals: readonly Option[]): Place[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const options = [...new Set([...help.visibleOptions(command), ...globals])].filter(({ hidden }) => !hidden);
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  return [
    {
      path: path.join(' '),
      words: [
        ...commands.map((each) => ({ text: each.name(), about: each.summary() || each.description() })),
        ...choices.map((choice) => ({ text: choice, about: '' })),
        ...options.flatMap(({ long, short, description }) =>
          [long, short].flatMap((flag) => (typeof flag === 'string' ? [{ text: flag, about: description }] : [])),
        ),
      ],
      valued: options.flatMap(({ long, short, required, optional }) =>
        required || optional ? [long, short].flatMap((flag) => (typeof flag === 'string' ? [flag] : [])) : [],
      ),
    },
    ...commands.flatMap((each) => (each.name() === 'help' ? [] : visit(each, [...path, each.name()], globals))),
  ];
}
