import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Block, type Inline, parseBlocks, parseInline } from '../../console/src/components/text/markdown.ts';

/** Returns a compact form for comparison. */
function outline(blocks: readonly Block[]): unknown[] {
  return blocks.map((block) => {
    switch (block.kind) {
      case 'paragraph':
        return block.text;
      case 'heading':
        return { [`h${block.level}`]: block.text };
      case 'code':
        return { code: block.text };
      case 'quote':
        return { quote: outline(block.blocks) };
      case 'list':
        return { [block.first === undefined ? 'list' : `from ${block.first}`]: block.items.map(outline) };
      case 'table':
        return { table: [block.head, ...block.rows] };
      case 'rule':
        return '---';
    }
  });
}

function marked(pieces: readonly Inline[]): string {
  const each = pieces.map((piece) => {
    switch (piece.kind) {
      case 'text':
        return piece.text;
      case 'code':
        return `<code>${piece.text}</code>`;
      case 'link':
        return `<a ${piece.address}>${marked(piece.pieces)}</a>`;
      case 'strong':
      case 'emphasis':
      case 'struck':
        return `<${piece.kind}>${marked(piece.pieces)}</${piece.kind}>`;
    }
  });
  return each.join('');
}

/** Returns all text of the blocks. */
function wordsOf(blocks: readonly Block[]): string {
  return JSON.stringify(outline(blocks));
}

describe('what a model says', () => {
  it('is read in blocks', () => {
    const text = [
      '# Plan #',
      'First\nsecond line',
      '',
      '- one',
      '- two',
      '  1. inner',
      '  2. more',
      '',
      '- three',
      '  with a line that goes on',
      '',
      '3) third',
      '4) fourth',
      '',
      '> quoted',
      '> - in it',
      '',
      '| a | b |',
      '|---|:-:|',
      '| 1 | x \\| y |',
      '| 2 |',
      '***',
      '```ts',
      'const a = "- no list";',
      '',
      '# no heading',
      '```',
      'end',
    ].join('\n');
    assert.deepEqual(outline(parseBlocks(text)), [
      { h1: 'Plan' },
      'First\nsecond line',
      { list: [['one'], ['two', { 'from 1': [['inner'], ['more']] }], ['three\nwith a line that goes on']] },
      { 'from 3': [['third'], ['fourth']] },
      { quote: ['quoted', { list: [['in it']] }] },
      {
        table: [
          ['a', 'b'],
          ['1', 'x | y'],
          ['2', ''],
        ],
      },
      '---',
      { code: 'const a = "- no list";\n\n# no heading' },
      'end',
    ]);
  });

  it('has titles without the marks that close them', () => {
    const titles = ['# a ##', '## C#', '### ', '# # a', '# ##'];
    assert.deepEqual(outline(titles.flatMap(parseBlocks)), [
      { h1: 'a' },
      { h2: 'C#' },
      { h3: '' },
      { h1: '# a' },
      { h1: '' },
    ]);
  });

  it('is read while it is still on its way', () => {
    assert.deepEqual(outline(parseBlocks('So:\n```js\nlet a')), ['So:', { code: 'let a' }]);
    assert.deepEqual(outline(parseBlocks('| a | b |')), ['| a | b |']);
    assert.equal(marked(parseInline('**not yet')), '**not yet');
  });

  const spans: readonly (readonly [string, string])[] = [
    [
      '**bold** and *slanted* and _also_',
      '<strong>bold</strong> and <emphasis>slanted</emphasis> and <emphasis>also</emphasis>',
    ],
    [
      '**bold with `code` and *more* in it**',
      '<strong>bold with <code>code</code> and <emphasis>more</emphasis> in it</strong>',
    ],
    ['`**code**` and ``a ` b``', '<code>**code**</code> and <code>a ` b</code>'],
    ['snake_case_name, 2*3*4, a * b * c', 'snake_case_name, 2*3*4, a * b * c'],
    ['~~gone~~ \\*kept\\*', '<struck>gone</struck> *kept*'],
    ['[the docs](https://a.example/x "t")', '<a https://a.example/x>the docs</a>'],
    ['see https://a.example/x?y=1.', 'see <a https://a.example/x?y=1>https://a.example/x?y=1</a>.'],
    ['![a picture](https://a.example/x.png)', '<a https://a.example/x.png>a picture</a>'],
    ['[**https://a.example**](https://b.example)', '<a https://b.example><strong>https://a.example</strong></a>'],
    ['[no](javascript:alert(1)) [no](/api) <b>x</b>', '[no](javascript:alert(1)) [no](/api) <b>x</b>'],
  ];
  for (const [text, expected] of spans)
    it(`has pieces: ${text}`, () => {
      assert.equal(marked(parseInline(text)), expected);
    });

  it('loses no word, whatever it is made of', () => {
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
    fc.assert(
      fc.property(fc.array(fc.oneof(word, mark), { maxLength: 40 }), (parts) => {
        const told = wordsOf(parseBlocks(parts.join('')));
        const counted = (text: string): number => text.match(/alpha|beta|gamma|delta/g)?.length ?? 0;
        // The info string of a code fence and cells beyond the header are dropped.
        const isPlain = !/```[a-z]|\|/.test(parts.join(''));
        if (isPlain) assert.equal(counted(told), counted(parts.join('')));
      }),
    );
  });

  it('takes no longer for being made to', { timeout: 10_000 }, () => {
    const times = 20_000;
    const repeated = [
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
    ].concat(['* * *\n', '1. a\n', '  - b\n', '- a\n\n', '`', '*', '_', '|-|\n', '```\n']);
    for (const piece of repeated)
      for (const text of [piece.repeat(times), `# a${piece.repeat(times)}b`, `- a${piece.repeat(times)}\nb`]) {
        for (const block of parseBlocks(text)) if (block.kind === 'paragraph') parseInline(block.text);
        parseInline(text);
      }
  });
});
