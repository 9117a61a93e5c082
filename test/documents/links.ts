import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { root } from '../support/command.ts';
import { type Page, proseOf } from './pages.ts';
import { slugOf } from './slug.ts';

/** Returns the broken relative links of pages, to files and to headings. */
export function brokenLinks(pages: readonly Page[]): string[] {
  const byFile = new Map(pages.map((page) => [page.file, page]));
  return pages.flatMap((page) =>
    linksOf(page).flatMap(({ target, line }) => {
      const reason = brokenReason(page, target, byFile);
      return reason === undefined ? [] : [`${page.file}:${line}: ${target} (${reason})`];
    }),
  );
}

/** Returns the targets of the links of a page, with their lines. */
export function linksOf(page: Page): { readonly target: string; readonly line: number }[] {
  const prose = proseOf(page).replaceAll(/`[^`\n]*`/g, (code) => ' '.repeat(code.length));
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(({ 1: target = '', index }) => ({
    target,
    line: prose.slice(0, index).split('\n').length,
  }));
}

function brokenReason(page: Page, target: string, byFile: ReadonlyMap<string, Page>): string | undefined {
  if (/^[a-z]+:/.test(target)) return undefined;
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page.file : normalize(join(dirname(page.file), path));
  const linked = byFile.get(file);
  if (linked === undefined && (file.startsWith('..') || !existsSync(join(root, file)))) return 'no such file';
  if (anchor === undefined) return undefined;
  if (linked === undefined) return 'an anchor in a file that is not a page';
  return anchorsOf(linked).has(anchor) ? undefined : 'no such heading';
}

/** Returns the anchors of a page’s headings, as on GitHub. */
export function anchorsOf(page: Page): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(page).matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = slugOf(heading);
    let unique = slug;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${slug}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}
