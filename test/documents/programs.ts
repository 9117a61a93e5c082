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
  return { directory, programs, remove: () => rmSync(directory, { recursive: true }) };
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
