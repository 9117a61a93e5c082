/** An entry as it stands under `mcpServers`. */
export type Entry = Readonly<Record<string, unknown>>;

/** A server to add; `wrong` says what is still missing. */
export type NewEntry =
  | { readonly name: string; readonly entry: Entry; readonly wrong?: undefined }
  | { readonly wrong: string };

/** What somebody has typed. */
export interface Typed {
  readonly kind: 'command' | 'url' | 'json';
  readonly name: string;
  readonly command: string;
  readonly url: string;
  /** `NAME=value`, one on each line: environment of a command, headers of an address. */
  readonly pairs: string;
  readonly json: string;
}

export function newEntry(typed: Typed): NewEntry {
  if (typed.kind === 'json') return fromJson(typed);
  if (typed.name.trim() === '') return { wrong: 'Give it a name.' };
  const pairs = readPairs(typed.pairs, typed.kind === 'url' ? ':' : '=');
  if (typeof pairs === 'string') return { wrong: pairs };
  const name = typed.name.trim();
  if (typed.kind === 'url') {
    if (typed.url.trim() === '') return { wrong: 'Give its address.' };
    const headers = Object.keys(pairs).length === 0 ? {} : { headers: pairs };
    return { name, entry: { type: 'http', url: typed.url.trim(), ...headers } };
  }
  const [command, ...args] = splitCommand(typed.command);
  if (command === undefined) return { wrong: 'Give the command that starts it.' };
  const rest = args.length === 0 ? {} : { args };
  return { name, entry: { command, ...rest, ...(Object.keys(pairs).length === 0 ? {} : { env: pairs }) } };
}

/** The words of a command line; quotes keep a word together. No shell runs it, so nothing else has a meaning. */
export function splitCommand(line: string): string[] {
  const words = line.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/"((?:\\.|[^"\\])*)"|'([^']*)'/g, (_, double?: string, single?: string) =>
      double === undefined ? (single ?? '') : double.replaceAll(/\\(.)/g, '$1'),
    ),
  );
}

function readPairs(text: string, sign: '=' | ':'): Readonly<Record<string, string>> | string {
  const pairs: [string, string][] = [];
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const at = line.indexOf(sign);
    if (at < 1) return `“${line}” is not a name, “${sign}” and a value.`;
    pairs.push([line.slice(0, at).trim(), line.slice(at + 1).trim()]);
  }
  return Object.fromEntries(pairs);
}

/** Takes an entry, and what READMEs show: `{ "mcpServers": { "name": { … } } }`. */
function fromJson({ name, json }: Typed): NewEntry {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return { wrong: json.trim() === '' ? 'Paste its entry.' : (error as Error).message };
  }
  if (!isEntry(value)) return { wrong: 'An entry is a JSON object: { … }' };
  const inside = value['mcpServers'] ?? value['servers'] ?? value;
  if (!isEntry(inside)) return { wrong: '"mcpServers" is a JSON object: { … }' };
  const [only, second] = Object.entries(inside);
  const isNamed = inside !== value || (only !== undefined && second === undefined && isEntry(only[1]));
  if (isNamed && second !== undefined) return { wrong: 'That is more than one server; add one at a time.' };
  const entry = isNamed ? only?.[1] : value;
  const called = name.trim() === '' && isNamed ? (only?.[0] ?? '') : name.trim();
  if (!isEntry(entry)) return { wrong: 'There is no server in it.' };
  if (called === '') return { wrong: 'Give it a name.' };
  return { name: called, entry };
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
