/** A configuration entry under `mcpServers`. */
export type Entry = Readonly<Record<string, unknown>>;

/** The entry to add, or the problem with the form. */
export type ServerFormResult =
  | { readonly name: string; readonly entry: Entry; readonly problem?: undefined }
  | { readonly problem: string };

/** The content of the form. */
export interface ServerForm {
  readonly kind: 'command' | 'url' | 'json';
  readonly name: string;
  readonly command: string;
  readonly url: string;
  /** `NAME=value` or `Name: value` lines: the environment of a command, or the headers of a URL. */
  readonly pairs: string;
  readonly json: string;
}

export function parseServerForm(typed: ServerForm): ServerFormResult {
  if (typed.kind === 'json') return fromJson(typed);
  if (typed.name.trim() === '') return { problem: 'Enter a name' };
  const pairs = readPairs(typed.pairs, typed.kind === 'url' ? ':' : '=');
  if (typeof pairs === 'string') return { problem: pairs };
  const name = typed.name.trim();
  if (typed.kind === 'url') {
    if (typed.url.trim() === '') return { problem: 'Enter a URL' };
    const headers = Object.keys(pairs).length === 0 ? {} : { headers: pairs };
    return { name, entry: { type: 'http', url: typed.url.trim(), ...headers } };
  }
  const [command, ...args] = splitCommand(typed.command);
  if (command === undefined) return { problem: 'Enter a command' };
  const rest = args.length === 0 ? {} : { args };
  return { name, entry: { command, ...rest, ...(Object.keys(pairs).length === 0 ? {} : { env: pairs }) } };
}

/** Splits a command line into words, respecting quotes. No shell runs it, so no other syntax applies. */
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
    if (at < 1) return `“${line}” must be a name, “${sign}” and a value`;
    pairs.push([line.slice(0, at).trim(), line.slice(at + 1).trim()]);
  }
  return Object.fromEntries(pairs);
}

/** Parses an entry, alone or as READMEs show it: `{ "mcpServers": { "name": { … } } }`. */
function fromJson({ name, json }: ServerForm): ServerFormResult {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return { problem: json.trim() === '' ? 'Paste the JSON entry' : (error as Error).message };
  }
  if (!isEntry(value)) return { problem: 'The entry must be a JSON object: { … }' };
  const inside = value['mcpServers'] ?? value['servers'] ?? value;
  if (!isEntry(inside)) return { problem: '"mcpServers" must be a JSON object: { … }' };
  const [only, second] = Object.entries(inside);
  const isNamed = inside !== value || (only !== undefined && second === undefined && isEntry(only[1]));
  if (isNamed && second !== undefined) return { problem: 'The JSON has more than one server. Add one at a time.' };
  const entry = isNamed ? only?.[1] : value;
  const called = name.trim() === '' && isNamed ? (only?.[0] ?? '') : name.trim();
  if (!isEntry(entry)) return { problem: 'The JSON has no server' };
  if (called === '') return { problem: 'Enter a name' };
  return { name: called, entry };
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
