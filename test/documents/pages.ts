import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/command.ts';

/** A piece of a page that is set in another language, and where it begins. */
export interface Block {
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

/** A page of the documentation. */
export interface Page {
  /** From the root of the repository. */
  readonly file: string;
  readonly text: string;
}

/** Everything that is written for people. */
export const pages: readonly Page[] = globSync(['*.md', '{console,examples}/*.md', 'docs/**/*.md'], {
  cwd: root,
  exclude: ['docs/site/node_modules/**'],
})
  .toSorted()
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

/** The fenced blocks of a page; what stands in a comment that begins with `<!--ts` is code that readers are spared. */
export function blocksOf({ text }: Page): Block[] {
  return [...text.matchAll(/^(?:```|<!--)([a-z]+)[^\n]*\n(.*?)^(?:```|-->)$/gms)].map(
    ([, language = '', block = ''], index, all) => ({
      language,
      text: block,
      line: text.slice(0, all[index]?.index).split('\n').length + 1,
    }),
  );
}

/** A page without its blocks, line by line as long as before. */
export function proseOf({ text }: Page): string {
  return text.replaceAll(/^```.*?^```$/gms, (block) => '\n'.repeat(block.split('\n').length - 1));
}
