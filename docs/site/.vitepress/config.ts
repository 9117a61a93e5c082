import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { defineConfig } from 'vitepress';
// Uses the anchors of GitHub, so that links that the tests have checked also work on the site.
import { slugOf } from '../../../test/documents/slug.ts';

const docs = join(import.meta.dirname, '..', '..');

/** Returns the pages of a folder with their titles: first the given ones, then the others by name. */
function pagesIn(folder: string, first: readonly string[] = []): { text: string; link: string }[] {
  const names = readdirSync(join(docs, folder)).filter((name) => name.endsWith('.md'));
  const known = first.filter((name) => names.includes(name));
  return [...known, ...names.filter((name) => !known.includes(name)).toSorted()].map((name) => {
    const [, title = name] = /^# (.+)$/m.exec(readFileSync(join(docs, folder, name), 'utf8')) ?? [];
    return { text: title.replaceAll('`', ''), link: `/${join(folder, name.replace(/(?:README)?\.md$/, ''))}` };
  });
}

export default defineConfig({
  title: 'Signalbox',
  description: 'A gateway for the tool calls of AI agents.',
  srcDir: '..',
  srcExclude: ['site/**'],
  outDir: './dist',
  cacheDir: './cache',
  cleanUrls: true,
  rewrites: {
    'README.md': 'index.md',
    ':folder/README.md': ':folder/index.md',
    'guide/clients/README.md': 'guide/clients/index.md',
  },
  // The tests check links. Links that point outside docs/ are replaced by plain text below.
  ignoreDeadLinks: true,
  markdown: {
    anchor: { slugify: slugOf },
    config(markdown) {
      const open =
        markdown.renderer.rules.link_open ??
        ((tokens, index, options, _, self) => self.renderToken(tokens, index, options));
      markdown.renderer.rules.link_open = (tokens, index, options, environment, self) => {
        const token = tokens[index];
        const target = token?.attrGet('href') ?? '';
        const from = (environment as { relativePath?: string }).relativePath ?? '';
        const isOutside =
          !/^(?:[a-z]+:|[#/])/.test(target) && relative(docs, join(docs, dirname(from), target)).startsWith('..');
        if (isOutside) {
          token?.attrs?.splice(token.attrIndex('href'), 1);
          token?.attrSet('title', `in the repository: ${join('docs', dirname(from), target)}`);
        } else if (/(?:^|\/)README\.md(?:#|$)/.test(target))
          token?.attrSet('href', target.replace('README.md', 'index.md'));
        return open(tokens, index, options, environment, self);
      };
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Guide', link: '/guide/library' },
      { text: 'Reference', link: '/reference/configuration' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
    ],
    sidebar: [
      { text: 'Getting started', link: '/getting-started' },
      {
        text: 'Guide',
        items: pagesIn('guide', [
          'library.md',
          'gateway.md',
          'console.md',
          'team.md',
          'claude.md',
          'any-model.md',
          'policies.md',
          'undo.md',
          'testing.md',
          'telemetry.md',
        ]),
      },
      { text: 'Clients', items: pagesIn('guide/clients', ['README.md']), collapsed: true },
      { text: 'Coming from …', items: pagesIn('coming-from', ['README.md']), collapsed: true },
      { text: 'Reference', items: pagesIn('reference', ['command-line.md', 'configuration.md', 'routes.md']) },
      { text: 'Library', items: pagesIn('reference/library', ['signalbox.md']), collapsed: true },
      { text: 'More', items: pagesIn('.').filter(({ link }) => !['/', '/.', '/getting-started'].includes(link)) },
      { text: 'Decisions', items: pagesIn('decisions', ['README.md']), collapsed: true },
    ],
  },
});
