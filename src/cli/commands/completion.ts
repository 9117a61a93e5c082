import type { CommandContext } from '../command-context.ts';
import { type Command, type Option, Argument } from 'commander';

/** `signalbox completion`: prints completion scripts for shells. */
export function addCompletionCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('completion')
    .summary('print a completion script for your shell')
    .description('Prints a script that completes commands and options.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .addHelpText('after', examples)
    .action(async (shell: string) => {
      await terminal.output.print(scripts[shell]?.(collectWords(program)) ?? '');
    });
}

const examples = `
Examples:
  source <(signalbox completion bash)      in ~/.bashrc
  source <(signalbox completion zsh)       in ~/.zshrc, after compinit
  signalbox completion fish > ~/.config/fish/completions/signalbox.fish`;

/** A word that can follow on a command line, with its description. */
interface Word {
  readonly text: string;
  readonly description: string;
}

/** The words that can follow a command. The path of the program itself is empty. */
interface CommandWords {
  readonly path: string;
  readonly words: readonly Word[];
  /** Options with a value, after which the next word is not a command. */
  readonly valued: readonly string[];
}

/** Returns the words that can follow each command. */
function collectWords(program: Command): readonly CommandWords[] {
  return visit(program, [], program.options);
}

function visit(command: Command, path: readonly string[], globals: readonly Option[]): CommandWords[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const options = [...new Set([...help.visibleOptions(command), ...globals])].filter(({ hidden }) => !hidden);
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  return [
    {
      path: path.join(' '),
      words: [
        ...commands.map((each) => ({ text: each.name(), description: each.summary() || each.description() })),
        ...choices.map((choice) => ({ text: choice, description: '' })),
        ...options.flatMap(({ long, short, description }) =>
          [long, short].flatMap((flag) => (typeof flag === 'string' ? [{ text: flag, description: description }] : [])),
        ),
      ],
      valued: options.flatMap(({ long, short, required, optional }) =>
        required || optional ? [long, short].flatMap((flag) => (typeof flag === 'string' ? [flag] : [])) : [],
      ),
    },
    ...commands.flatMap((each) => (each.name() === 'help' ? [] : visit(each, [...path, each.name()], globals))),
  ];
}

/** Creates the script for a shell. The script is static, so that completion starts no process. */
type Script = (places: readonly CommandWords[]) => string;

const scripts: Readonly<Record<string, Script>> = { bash, zsh, fish };

/** Shell code that finds the current command, ignoring options. It does not use `path`, which zsh reserves. */
const findPlace = (places: readonly CommandWords[]): string => `  local place='' word skip=0
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

function bash(places: readonly CommandWords[]): string {
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

function zsh(places: readonly CommandWords[]): string {
  const described = ({ text, description }: Word): string => quoted(`${text.replaceAll(':', '\\:')}:${description}`);
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

function fish(places: readonly CommandWords[]): string {
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
    return words.map(({ text, description }) => {
      const flag = text.startsWith('--') ? `-l ${text.slice(2)}` : `-s ${text.slice(1)}`;
      return `complete -c signalbox${condition} ${text.startsWith('-') ? flag : `-f -a ${text}`} -d ${quoted(description)}`;
    });
  });
  return `# Completion of signalbox for fish. signalbox completion fish > ~/.config/fish/completions/signalbox.fish
${lines.join('\n')}
`;
}

/** Quotes text for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
