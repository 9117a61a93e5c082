import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { type ViteDevServer, createServer } from 'vite';
import { root } from '../support/command.ts';

// Not imported, because the types of React declare elements of the DOM for all tests.
const require = createRequire(import.meta.url);
const { createElement } = require('react') as { createElement(component: unknown, properties: object): unknown };
const { renderToStaticMarkup } = require('react-dom/server') as { renderToStaticMarkup(element: unknown): string };
let vite: ViteDevServer;
let MarkdownView: unknown;

before(async () => {
  vite = await createServer({
    configFile: join(root, 'console', 'vite.config.ts'),
    appType: 'custom',
    cacheDir: join(root, 'node_modules', '.cache', 'tests', 'vite'),
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    logLevel: 'error',
  });
  ({ MarkdownView } = await vite.ssrLoadModule('/src/components/text/markdown-view.tsx'));
});
after(() => vite.close());

/** Returns the HTML of a message, without the element around it. */
function html(text: string): string {
  const whole = renderToStaticMarkup(createElement(MarkdownView, { text }));
  return whole.slice('<div class="prose">'.length, -'</div>'.length);
}

describe('Markdown of a model', () => {
  it('renders headings, lists, quotes, tables, rules and code blocks', () => {
    assert.equal(html('## Plan ##\n\n#### Step\n\n# Top'), '<h3>Plan</h3><h5>Step</h5><h2>Top</h2>');
    assert.equal(html('First\nsecond line'), '<p>First\nsecond line</p>');
    assert.equal(
      html('- one\n- two\n  1. inner\n  2. more\n'),
      '<ul><li>one</li><li>two<ol start="1"><li>inner</li><li>more</li></ol></li></ul>',
    );
    assert.equal(html('3) third\n4) fourth'), '<ol start="3"><li>third</li><li>fourth</li></ol>');
    assert.equal(html('- [ ] open\n- [x] done'), '<ul><li>☐ open</li><li>☑ done</li></ul>');
    assert.equal(html('> quoted\n> - in it'), '<blockquote><p>quoted</p><ul><li>in it</li></ul></blockquote>');
    assert.equal(
      html('| a | b |\n|---|:-:|\n| 1 | x \\| y |'),
      '<div class="prose-table"><table><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>' +
        '<tbody><tr><td>1</td><td>x | y</td></tr></tbody></table></div>',
    );
    assert.equal(html('a\n\n***\n\nb'), '<p>a</p><hr/><p>b</p>');
    assert.equal(
      html('```ts\nconst a = "- no list";\n\n# no heading\n```\nend'),
      '<pre class="code-block">const a = &quot;- no list&quot;;\n\n# no heading</pre><p>end</p>',
    );
  });

  it('renders text that is still streaming', () => {
    assert.equal(html('So:\n```js\nlet a'), '<p>So:</p><pre class="code-block">let a</pre>');
    assert.equal(html('| a | b |'), '<p>| a | b |</p>');
    assert.equal(html('**not yet'), '<p>**not yet</p>');
  });

  const link = (href: string, label: string): string =>
    `<a href="${href}" title="${href}" target="_blank" rel="noreferrer noopener">${label}</a>`;
  const place = (shown: string): string => `<span class="faint"> (${shown})</span>`;
  const spans: readonly (readonly [string, string])[] = [
    ['**bold** and *slanted* and _also_', '<strong>bold</strong> and <em>slanted</em> and <em>also</em>'],
    ['**bold with `code` and *more* in it**', '<strong>bold with <code>code</code> and <em>more</em> in it</strong>'],
    ['`**code**` and ``a ` b``', '<code>**code**</code> and <code>a ` b</code>'],
    ['snake_case_name, a * b * c', 'snake_case_name, a * b * c'],
    ['~~gone~~ \\*literal\\*', '<s>gone</s> *literal*'],
    ['[the docs](https://a.example/x "t")', link('https://a.example/x', 'the docs') + place('a.example')],
    ['see https://a.example/x?y=1.', `see ${link('https://a.example/x?y=1', 'https://a.example/x?y=1')}.`],
  ];
  for (const [text, expected] of spans)
    it(`renders ${text}`, () => {
      assert.equal(html(text), `<p>${expected}</p>`);
    });

  it('loads no image: it becomes a link with its host', () => {
    assert.equal(
      html('![a picture](https://a.example/x.png)'),
      `<p>${link('https://a.example/x.png', 'a picture')}${place('a.example')}</p>`,
    );
  });

  it('shows the host of a link whose label is another address', () => {
    assert.equal(
      html('[**https://a.example**](https://b.example)'),
      `<p>${link('https://b.example', '<strong>https://a.example</strong>')}${place('b.example')}</p>`,
    );
    assert.match(html('[x](https://known.example@other.example/)'), /\(other\.example\)/);
  });

  it('renders HTML, and links with other protocols or without a host, as text', () => {
    for (const text of [
      '<b>x</b> & <img src=x onerror=alert(1)>',
      '<script>alert(1)</script>',
      '[no](javascript:alert(1))',
      '[no](JaVaScRiPt:alert(1))',
      '[no](data:text/html,x)',
      '[no](/api) [no](//evil.example)',
      '<javascript:alert(1)>',
    ]) {
      const shown = html(text);
      assert.doesNotMatch(shown, /<(?!\/?p>)/, text);
      assert.ok(unescaped(shown).includes(text), shown);
    }
  });

  it('drops no word', () => {
    const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta');
    const mark = fc.constantFrom(
      '- ',
      '1. ',
      '> ',
      '# ',
      '  ',
      '    ',
      '\n',
      '\n\n',
      '```\n',
      '\n```\n',
      ' | ',
      '\n|---|\n',
      '**',
      '* ',
      '---\n',
    );
    const wordsIn = (text: string): number => text.match(/alpha|beta|gamma|delta/g)?.length ?? 0;
    fc.assert(
      fc.property(fc.array(fc.oneof(word, mark), { maxLength: 40 }), (parts) => {
        const text = parts.join('');
        // The info string of a code fence and cells beyond the header are dropped.
        const isPlain = !/```[a-z]|\|/.test(text);
        if (isPlain) assert.equal(wordsIn(html(text)), wordsIn(text), JSON.stringify(text));
      }),
    );
  });

  it('renders hostile repetition whole or as plain text, without exceeding the stack', () => {
    const pieces = [
      '**a ',
      '_a ',
      '`a ``',
      '[a](',
      '> ',
      '- ',
      '# ',
      '|a',
      '~~a ',
      'https://',
      '[',
      '\\|',
      ' ',
      '#',
      '\n',
    ].concat(['* * *\n', '1. a\n', '  - b\n', '- a\n\n', '`', '*', '_', '|-|\n', '```\n', '<a ', '<!--']);
    for (const piece of pieces)
      for (const text of [piece.repeat(5000), `# a${piece.repeat(5000)}b`, `- a${piece.repeat(5000)}\nb`])
        assert.doesNotThrow(() => html(text), JSON.stringify(text.slice(0, 20)));
  });
});

function unescaped(markup: string): string {
  return markup
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&');
}
