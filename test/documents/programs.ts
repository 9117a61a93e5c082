import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { root } from '../support/command.ts';
import { type Page, blocksOf, pages } from './pages.ts';

/** The TypeScript of a page, put together: what comes first can be used by what comes later. */
export interface Program {
  readonly page: string;
  readonly file: string;
}

/** The programs of the documentation, in a directory where they are found like those of a user. */
export interface Programs {
  readonly directory: string;
  readonly programs: readonly Program[];
  remove(): void;
}

/** Writes down what pages say in TypeScript, each page as one program, with the page's lines at their places. */
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

/** As for everything else. The compiler, unlike Node, takes a file that is reached by a link for another one. */
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
      paths: Object.fromEntries(Object.entries(paths).map(([name, [place = '']]) => [name, [join(root, place)]])),
    },
    include: ['*.ts'],
    exclude: [],
  };
}

/** Places in a program that a compiler or Node tells of, as places in the page. */
export function inPage(text: string, programs: readonly Program[]): string {
  return programs.reduce((told, { page, file }) => told.replaceAll(basename(file), page), text);
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
