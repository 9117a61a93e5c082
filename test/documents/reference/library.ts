import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Comment, type Declaration, type Program, parseSync } from 'oxc-parser';
import manifest from '../../../package.json' with { type: 'json' };
import { root } from '../../support/command.ts';

interface Entry {
  /** The name that users import. */
  readonly name: string;
  readonly file: string;
  /** Its page in docs/reference/library. */
  readonly page: string;
}

interface Module {
  readonly file: string;
  readonly source: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
}

/** A declaration that users can import, as in the source. */
interface Symbol {
  readonly name: string;
  readonly isValue: boolean;
  readonly doc: string;
  readonly code: string;
  /** The names that its code may refer to. */
  readonly names: readonly string[];
}

const entries: readonly Entry[] = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'string'
    ? []
    : [
        {
          name: path.replace('.', manifest.name),
          file: target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts'),
          page: path === '.' ? 'signalbox.md' : `${path.slice(2)}.md`,
        },
      ],
);

/** Returns a page for each entry point of the library, by its name in docs/reference/library. */
export function libraryPages(): Map<string, string> {
  return new Map(entries.map((entry) => [entry.page, pageOf(entry)]));
}

function pageOf({ name, file }: Entry): string {
  const symbols = symbolsOf(readModule(file));
  const part = (title: string, chosen: readonly Symbol[]): string[] =>
    chosen.length === 0 ? [] : [`## ${title}\n`, ...chosen.map(sectionOf)];
  return [
    `# \`${name}\`\n`,
    ...part(
      'Functions',
      symbols.filter(({ isValue, code }) => isValue && !isClass(code)),
    ),
    ...part(
      'Classes',
      symbols.filter(({ isValue, code }) => isValue && isClass(code)),
    ),
    ...part(
      'Types',
      symbols.filter(({ isValue }) => !isValue).toSorted((one, other) => one.name.localeCompare(other.name, 'en')),
    ),
  ].join('\n');
}

/**
 * Types whose members are internal. Users get a `Store` from `sqliteStore` or `postgresStore` and pass it to `createSignalbox`. Its members are
 * the port that drivers implement, which changes with the journal.
 */
const opaque: ReadonlySet<string> = new Set(['Store']);

/**
 * Returns "entry: symbol names type" for each type that a public signature names and that users cannot import from the same entry, or
 * from the main one.
 */
export function unexportedTypes(): string[] {
  const exportsOf = new Map(entries.map(({ name, file }) => [name, symbolsOf(readModule(file))]));
  const main = exportsOf.get(manifest.name) ?? [];
  return [...exportsOf].flatMap(([entry, symbols]) => {
    const importable = new Set([...symbols, ...main].map(({ name }) => name));
    return symbols.flatMap(({ name, code, names }) =>
      names
        .filter((type) => /^[A-Z]/.test(type) && !importable.has(type) && mentions(code, type))
        .map((type) => `${entry}: ${name} names ${type}`),
    );
  });
}

/** Returns "entry: type" for each exported type to which no signature of an exported function or class leads. */
export function unusedTypes(): string[] {
  const symbols = entries.flatMap(({ name: entry, file }) =>
    symbolsOf(readModule(file)).map((symbol) => ({ ...symbol, entry })),
  );
  let left = symbols.filter(({ isValue }) => !isValue);
  let found = symbols.filter(({ isValue }) => isValue);
  while (found.length > 0) {
    const named = left.filter(({ name }) => found.some(({ code }) => mentions(code, name)));
    left = left.filter((symbol) => !named.includes(symbol));
    found = named;
  }
  return left.map(({ name, entry }) => `${entry}: ${name}`);
}

function mentions(code: string, type: string): boolean {
  return new RegExp(`\\b${type}\\b`).test(withoutComments(code));
}

function withoutComments(code: string): string {
  return code.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '').replaceAll(/'[^'\n]*'|`[^`]*`/g, '');
}

/** Returns the names that a module declares, or imports from another module of this repository. */
function namesIn({ program }: Module): string[] {
  return program.body.flatMap((statement) => {
    if (statement.type === 'ImportDeclaration')
      return statement.source.value.startsWith('.') ? statement.specifiers.map(({ local }) => local.name) : [];
    if (statement.type === 'TSInterfaceDeclaration' || statement.type === 'TSTypeAliasDeclaration')
      return [statement.id.name];
    return statement.type === 'ExportNamedDeclaration' && statement.declaration !== null
      ? namesOf(statement.declaration)
      : [];
  });
}

function isClass(code: string): boolean {
  return code.startsWith('class ');
}

function sectionOf({ name, doc, code }: Symbol): string {
  const [words = '', example] = doc.split(/^@example\n?/m);
  const shown = example === undefined ? [] : ['```js', example.trim(), '```\n'];
  return [`### ${name}\n`, `${words.trim()}\n`, '```typescript', code, '```\n', ...shown].join('\n');
}

function readModule(file: string): Module {
  const source = readFileSync(join(root, file), 'utf8');
  const { program, comments } = parseSync(file, source);
  return { file, source, program, comments };
}

function symbolsOf(module: Module): Symbol[] {
  return reexportsOf(module).map(({ from, local, exported }) => symbolOf(readModule(from), local, exported));
}

/** Returns the names that a module reexports. */
function reexportsOf(module: Module): { readonly from: string; readonly local: string; readonly exported: string }[] {
  return module.program.body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration' || statement.source === null) return [];
    const from = join(dirname(module.file), statement.source.value);
    return statement.specifiers.flatMap(({ local, exported }) =>
      local.type === 'Identifier' && exported.type === 'Identifier'
        ? [{ from, local: local.name, exported: exported.name }]
        : [],
    );
  });
}

function symbolOf(module: Module, local: string, exported: string): Symbol {
  const declared = module.program.body.flatMap((statement) =>
    statement.type === 'ExportNamedDeclaration' &&
    statement.declaration !== null &&
    namesOf(statement.declaration).includes(local)
      ? [{ start: statement.start, declaration: statement.declaration }]
      : [],
  );
  // Users see only the overloads of an overloaded function.
  const overloads = declared.filter(({ declaration }) => declaration.type === 'TSDeclareFunction');
  const shown = overloads.length > 0 ? overloads : declared;
  const [first] = shown;
  if (first === undefined) {
    const further = reexportsOf(module).find((each) => each.exported === local);
    if (further === undefined) throw new Error(`${module.file} does not declare ${local}`);
    return symbolOf(readModule(further.from), further.local, exported);
  }
  const code = opaque.has(exported)
    ? `interface ${exported} {\n  // The members are internal.\n}`
    : shown.map(({ declaration }) => codeOf(declaration, module)).join('\n');
  return {
    name: exported,
    isValue: !['TSInterfaceDeclaration', 'TSTypeAliasDeclaration'].includes(first.declaration.type),
    doc: docBefore(first.start, module),
    code: local === exported ? code : code.replace(local, exported),
    names: namesIn(module).filter((each) => each !== local),
  };
}

function namesOf(declaration: Declaration): string[] {
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  return 'id' in declaration && declaration.id?.type === 'Identifier' ? [declaration.id.name] : [];
}

function codeOf(declaration: Declaration, { source }: Module): string {
  const text = (start: number, end: number): string => source.slice(start, end).trim();
  if (declaration.type === 'FunctionDeclaration')
    return `${text(declaration.start, declaration.body?.start ?? declaration.end)};`.replace(
      /^(?:async )?function\*? /,
      'function ',
    );
  if (declaration.type !== 'ClassDeclaration') return text(declaration.start, declaration.end);
  const members = declaration.body.body.flatMap((member) => {
    if (!('key' in member) || member.key.type === 'PrivateIdentifier') return [];
    const isMethod = member.type === 'MethodDefinition';
    const end = isMethod ? (member.value.body?.start ?? member.end) : member.end;
    return [`  ${text(member.start, end).replace(/;$/, '')};`];
  });
  return [`${text(declaration.start, declaration.body.start)} {`, ...members, '}'].join('\n');
}

/** Returns the doc comment that ends just before a position. */
function docBefore(start: number, { source, comments }: Module): string {
  const comment = comments.findLast(({ end }) => end <= start);
  const isDirectlyBefore =
    comment?.type === 'Block' && comment.value.startsWith('*') && source.slice(comment.end, start).trim() === '';
  if (!isDirectlyBefore) return '';
  return comment.value
    .slice(1)
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim();
}
