import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/command.ts';

/** A code block of a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** The line of the page on which its code begins. */
  readonly line: number;
}

/** A page of the documentation. */
export interface Page {
  /** The path from the root of the repository. */
  readonly file: string;
  readonly text: string;
}

/** All pages of the documentation. */
export const pages: readonly Page[] = globSync(['*.md', '{console,examples}/*.md', 'docs/**/*.md'], {
  cwd: root,
  exclude: ['docs/site/node_modules/**'],
})
  .toSorted()
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

/** Returns the code blocks of a page, including code that is hidden in a comment (`<!--ts … -->`). */
export function blocksOf({ text }: Page): Block[] {
  return [...text.matchAll(/^(?:```|<!--)([a-z]+)[^\n]*\n(.*?)^(?:```|-->)$/gms)].map(
    ([, language = '', block = ''], index, all) => ({
      language,
      text: block,
      line: text.slice(0, all[index]?.index).split('\n').length + 1,
    }),
  );
}

/** Returns a page without its code blocks. Line numbers do not change. */
export function proseOf({ text }: Page): string {
  return text.replaceAll(/^```.*?^```$/gms, (block) => '\n'.repeat(block.split('\n').length - 1));
}
