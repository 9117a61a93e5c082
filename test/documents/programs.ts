import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { root } from '../support/command.ts';
import { type Page, blocksOf, pages } from './pages.ts';

/** The TypeScript blocks of a page as one program: later blocks can use the declarations of earlier ones. */
export interface Program {
  readonly page: string;
  readonly file: string;
}

/** The programs of the documentation, in a directory like that of a user. */
export interface Programs {
  readonly directory: string;
  readonly programs: readonly Program[];
  /** The examples of the library reference. They compile, but need a model or a server to run. */
  readonly examples: readonly Program[];
  remove(): void;
}

/** Writes the TypeScript of each page as one program, with the line numbers of the page. */
export function writePrograms(): Programs {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-documents-'));
  for (const name of ['node_modules', 'examples']) symlinkSync(join(root, name), join(directory, name));
  writeFileSync(
    join(directory, 'package.json'),
    JSON.stringify({ type: 'module', imports: { '#examples/*': './examples/*' } }),
  );
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(compilerSettings()));
  const programs = pages.flatMap((page) => {
    const text = programOf(page);
    if (text === '') return [];
    const file = join(directory, `${page.file.replaceAll('/', '-').replace('.md', '')}.ts`);
    writeFileSync(file, text);
    return [{ page: page.file, file }];
  });
  const examples = pages.flatMap((page) => {
    const text = examplesOf(page);
    if (text === '') return [];
    const file = join(directory, `examples-of-${basename(page.file, '.md')}.ts`);
    writeFileSync(file, text);
    return [{ page: page.file, file }];
  });
  return { directory, programs, examples, remove: () => rmSync(directory, { recursive: true }) };
}

/** Returns the settings of the repository, with paths: unlike Node, the compiler treats a file behind a link as another file. */
function compilerSettings(): object {
  const paths = {
    signalbox: ['src/index.ts'],
    'signalbox/server': ['src/server/index.ts'],
    'signalbox/testing': ['src/testing/index.ts'],
    'signalbox/*': ['src/surfaces/*/index.ts'],
    '#examples/*': ['examples/*'],
  };
  return {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      paths: Object.fromEntries(Object.entries(paths).map(([name, [path = '']]) => [name, [join(root, path)]])),
    },
    include: ['*.ts'],
    exclude: [],
  };
}

/** Replaces the files of programs by their pages in the output of the compiler or Node. */
export function inPage(text: string, programs: readonly Program[]): string {
  return programs.reduce((output, { page, file }) => output.replaceAll(basename(file), page), text);
}

function programOf(page: Page): string {
  let text = '';
  let line = 1;
  for (const block of blocksOf(page).filter(({ language }) => language === 'ts')) {
    text += '\n'.repeat(block.line - line) + block.text;
    line = block.line + block.text.split('\n').length - 1;
  }
  return text;
}

/** The values that examples of the library reference use without declaring them. */
const givenValues: Readonly<Record<string, string>> = {
  addNote: "import('signalbox').AnyTool",
  app: "{ all(path: string, handle: (request: import('node:http').IncomingMessage & { body: unknown }, response: import('node:http').ServerResponse) => unknown): void }",
  box: "import('signalbox').Signalbox",
  client: 'any',
  contents: 'any[]',
  listNotes: "import('signalbox').AnyTool",
  max_tokens: 'number',
  messages: 'any[]',
  model: 'any',
  notes: "import('signalbox').Source",
  prompt: 'string',
  search: "import('signalbox').Source",
  userOf: '(request: unknown) => string',
};
const givenImports: Readonly<Record<string, string>> = {
  createSignalbox: 'signalbox',
  generateText: 'ai',
  isStepCount: 'ai',
  query: '@anthropic-ai/claude-agent-sdk',
  z: 'zod',
};

/** Returns the examples of a page of the library reference as functions, with the imports and parameters that they use. */
function examplesOf(page: Page): string {
  const entry = /^# `(signalbox\S*)`$/m.exec(page.text)?.[1];
  if (entry === undefined || !page.file.startsWith('docs/reference/library/')) return '';
  const [values = '', types = ''] = page.text.split(/^## Types$/m);
  const names = (text: string): string[] => [...text.matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name);
  const blocks = blocksOf(page).filter(({ language }) => language === 'js');
  const isUsed = (name: string): boolean => blocks.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text));
  const exported = [
    ...names(values).filter(isUsed),
    ...names(types)
      .filter(isUsed)
      .map((name) => `type ${name}`),
  ];
  const others = Object.entries(givenImports).filter(([name]) => isUsed(name) && !exported.includes(name));
  const imports = others.map(([name, from]) => `import { ${name} } from '${from}';\n`).join('');
  const functions = blocks.map(({ text }, index) => {
    const isGiven = (name: string): boolean =>
      new RegExp(`\\b${name}\\b(?!:)`).test(text) && !new RegExp(`^const ${name}\\b`, 'm').test(text);
    const given = Object.entries(givenValues).filter(([name]) => isGiven(name));
    const parameters = given.map(([name, type]) => `${name}: ${type}`).join(', ');
    return `export async function example${index}(${parameters}): Promise<void> {\n${text}}\n`;
  });
  return blocks.length === 0
    ? ''
    : `import { ${exported.join(', ')} } from '${entry}';\n${imports}${functions.join('')}`;
}
