import type { CommandContext } from '../command-context.ts';
import { type Command, type Option, Argument } from 'commander';

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

/** Writes the script for a shell. All of it is known when it is written: a shell waits for no program at every key. */
export type Script = (places: readonly Place[]) => string;

/** How each shell is told. */
export const scripts: Readonly<Record<string, Script>> = { bash, zsh, fish };

/** Finds the words so far that are commands, whatever options stand between them. (`path` has a meaning of its own in zsh.) */
const findPlace = (places: readonly Place[]): string => `  local place='' word skip=0
  for word in "\${words[@]:1:$count}"; do
    if ((skip)); then skip=0; continue; fi
    case "$word" in
      ${[...new Set(places.flatMap(({ valued }) => valued))].join('|')}) skip=1; continue ;;
      -*) continue ;;
    esac
    case "\${place:+$place }$word" in
      ${places.flatMap(({ path }) => (path === '' ? [] : [quoted(path)])).join('|')}) place="\${place:+$place }$word" ;;
    esac
  done`;

function bash(places: readonly Place[]): string {
  return `# Completion of signalbox for bash. In ~/.bashrc: source <(signalbox completion bash)
_signalbox() {
  local words=("\${COMP_WORDS[@]}") count=$((COMP_CWORD - 1)) current="\${COMP_WORDS[COMP_CWORD]}" found=''
${findPlace(places)}
  case "$place" in
${places.map(({ path, words }) => `    ${quoted(path)}) found=${quoted(words.map(({ text }) => text).join(' '))} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$found" -- "$current"))
}
complete -o default -F _signalbox signalbox
`;
}

function zsh(places: readonly Place[]): string {
  const described = ({ text, about }: Word): string => quoted(`${text.replaceAll(':', '\\:')}:${about}`);
  return `#compdef signalbox
# Completion of signalbox for zsh. In ~/.zshrc: source <(signalbox completion zsh)
_signalbox() {
  setopt localoptions ksharrays
  local -a found
  local count=$((CURRENT - 2))
${findPlace(places)}
  case "$place" in
${places.map(({ path, words }) => `    ${quoted(path)}) found=(${words.map(described).join(' ')}) ;;`).join('\n')}
  esac
  unsetopt ksharrays
  _describe signalbox found || _files
}
compdef _signalbox signalbox
`;
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words }) => {
    const deeper = places.flatMap((other) => {
      const isBelow = other.path !== path && other.path.startsWith(path === '' ? '' : `${path} `);
      return isBelow ? [other.path.slice(path === '' ? 0 : path.length + 1)] : [];
    });
    const next = [...new Set(deeper.map((rest) => rest.split(' ')[0] ?? ''))];
    const seen = path === '' ? [] : path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
    const unseen = next.length === 0 ? [] : [`not __fish_seen_subcommand_from ${next.join(' ')}`];
    const when = [...seen, ...unseen].join('; and ');
    const condition = when === '' ? '' : ` -n ${quoted(when)}`;
    return words.map(({ text, about }) => {
      const flag = text.startsWith('--') ? `-l ${text.slice(2)}` : `-s ${text.slice(1)}`;
      return `complete -c signalbox${condition} ${text.startsWith('-') ? flag : `-f -a ${text}`} -d ${quoted(about)}`;
    });
  });
  return `# Completion of signalbox for fish. signalbox completion fish > ~/.config/fish/completions/signalbox.fish
${lines.join('\n')}
`;
}

/** Text that no shell looks into. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
