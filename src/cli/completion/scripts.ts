import type { Place, Word } from './words.ts';

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
