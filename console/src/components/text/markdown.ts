/** A block of Markdown. */
export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'list'; readonly first: number | undefined; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'rule' };

/** An inline element of Markdown. */
export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis' | 'struck'; readonly pieces: readonly Inline[] }
  | { readonly kind: 'link'; readonly address: string; readonly pieces: readonly Inline[] };

/** Bounds the recursion on hostile input. */
const maxDepth = 8;

const fence = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;
const heading = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const rule = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const quoted = /^ {0,3}> ?/;
const bullet = /^( {0,3})([-*+]|\d{1,9}[.)])(?:([ \t]{1,4})(?=\S)|[ \t]*$)/;
const divider = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** Parses Markdown blocks. The text may still be streaming: an unclosed block extends to its end. */
export function parseBlocks(text: string): readonly Block[] {
  return readBlocks(text.replaceAll('\r\n', '\n').split('\n'), 0);
}

function readBlocks(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (line.trim() === '') at += 1;
    else {
      const { block, next } = readBlock(lines, at, depth);
      blocks.push(block);
      at = next;
    }
  }
  return blocks;
}

interface Read {
  readonly block: Block;
  /** The line after it. */
  readonly next: number;
}

function readBlock(lines: readonly string[], at: number, depth: number): Read {
  const line = lines[at] ?? '';
  const fenced = fence.exec(line);
  if (fenced !== null) return readCode(lines, at, fenced[1] ?? '');
  const [, marks = '', title = ''] = heading.exec(line) ?? [];
  if (marks !== '') return { block: { kind: 'heading', level: marks.length, text: titleOf(title) }, next: at + 1 };
  if (rule.test(line)) return { block: { kind: 'rule' }, next: at + 1 };
  if (isTable(lines, at)) return readTable(lines, at);
  if (depth < maxDepth && quoted.test(line)) return readQuote(lines, at, depth);
  if (depth < maxDepth && bullet.test(line)) return readList(lines, at, depth);
  return readParagraph(lines, at, depth);
}

/** Removes the closing `#` characters of a heading. */
function titleOf(line: string): string {
  const text = line.trim();
  let end = text.length;
  while (text[end - 1] === '#') end -= 1;
  return end === 0 || /\s/.test(text.charAt(end - 1)) ? text.slice(0, end).trim() : text;
}

function readCode(lines: readonly string[], at: number, opening: string): Read {
  const closing = new RegExp(`^ {0,3}${opening.charAt(0)}{${opening.length},}[ \\t]*$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end] ?? '')) end += 1;
  return { block: { kind: 'code', text: lines.slice(at + 1, end).join('\n') }, next: end + 1 };
}

function readQuote(lines: readonly string[], at: number, depth: number): Read {
  let end = at;
  while (end < lines.length && quoted.test(lines[end] ?? '')) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(quoted, ''));
  return { block: { kind: 'quote', blocks: readBlocks(inner, depth + 1) }, next: end };
}

interface Item {
  /** The column of its text. */
  readonly inset: number;
  /** The marker, or the character after the number. Items of one list share it. */
  readonly kind: string;
  readonly number: number | undefined;
}

function itemAt(line: string): Item | undefined {
  const [, before = '', mark = '', space = ' '] = bullet.exec(line) ?? [];
  if (mark === '' || rule.test(line)) return undefined;
  const number = mark.length > 1 ? Number(mark.slice(0, -1)) : undefined;
  return { inset: before.length + mark.length + space.length, kind: mark.slice(-1), number };
}

function readList(lines: readonly string[], at: number, depth: number): Read {
  const first = itemAt(lines[at] ?? '');
  const items: Block[][] = [];
  let next = at;
  for (let item = first; item !== undefined && item.kind === first?.kind; item = itemAt(lines[next] ?? '')) {
    const { inset } = item;
    const end = endOfItem(lines, next, inset);
    const [head = '', ...rest] = lines.slice(next, end);
    items.push(readBlocks([head.slice(inset), ...rest.map((line) => dedented(line, inset))], depth + 1));
    next = end;
  }
  return { block: { kind: 'list', first: first?.number, items }, next };
}

/** Returns the end of a list item: indented lines and lazy continuation lines belong to it. */
function endOfItem(lines: readonly string[], at: number, inset: number): number {
  let end = at + 1;
  for (let line = at + 1; line < lines.length; line += 1) {
    const text = lines[line] ?? '';
    if (text.trim() === '') continue;
    const isSetIn = indentOf(text) >= Math.min(inset, 2);
    const follows = line === end && !beginsBlock(text);
    if (!isSetIn && !follows) break;
    end = line + 1;
  }
  // Blank lines between two items belong to neither.
  let after = end;
  while (after < lines.length && (lines[after] ?? '').trim() === '') after += 1;
  return itemAt(lines[after] ?? '') === undefined ? end : after;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function dedented(line: string, inset: number): string {
  return line.slice(Math.min(inset, indentOf(line)));
}

function beginsBlock(line: string): boolean {
  return fence.test(line) || heading.test(line) || rule.test(line) || quoted.test(line) || bullet.test(line);
}

function readParagraph(lines: readonly string[], at: number, depth: number): Read {
  const isOver = (line: string): boolean => line.trim() === '' || (depth < maxDepth && beginsBlock(line));
  let end = at + 1;
  while (end < lines.length && !isOver(lines[end] ?? '') && !isTable(lines, end)) end += 1;
  return { block: { kind: 'paragraph', text: lines.slice(at, end).join('\n').trim() }, next: end };
}

function isTable(lines: readonly string[], at: number): boolean {
  const [head = '', below = ''] = [lines[at], lines[at + 1]];
  return (
    head.includes('|') && below.includes('-') && divider.test(below) && cellsOf(head).length === cellsOf(below).length
  );
}

function readTable(lines: readonly string[], at: number): Read {
  const head = cellsOf(lines[at] ?? '');
  const rows: string[][] = [];
  let end = at + 2;
  for (; end < lines.length && (lines[end] ?? '').includes('|'); end += 1) {
    const cells = cellsOf(lines[end] ?? '');
    rows.push(head.map((_, column) => cells[column] ?? ''));
  }
  return { block: { kind: 'table', head, rows }, next: end };
}

function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/*
 * Spans are bounded in length, so that a text of opening marks only does not take quadratic time. Marks within words are
 * not markup, as in `snake_case` and `2*3*4`.
 */
const span = new RegExp(
  [
    '(`{1,3})(?!`)([^]{1,2000}?)(?<!`)\\1(?!`)',
    '\\*\\*(?=\\S)([^]{1,1000}?)(?<=\\S)\\*\\*(?!\\*)',
    '(?<!\\w)__(?=\\S)([^]{1,1000}?)(?<=\\S)__(?!\\w)',
    '(?<![\\w*])\\*(?=[^\\s*])([^*]{1,1000}?)(?<=[^\\s*])\\*(?![\\w*])',
    '(?<!\\w)_(?=[^\\s_])([^_]{1,1000}?)(?<=[^\\s_])_(?!\\w)',
    '~~(?=\\S)([^]{1,1000}?)(?<=\\S)~~',
    '!?\\[([^\\[\\]\\n]{1,500})\\]\\(<?((?:https?:\\/\\/|mailto:)[^\\s()<>]{1,2000})>?(?:[ \\t]+"[^"\\n]{0,200}")?\\)',
    '(?<!\\w)(https?:\\/\\/[^\\s<>"`]{1,2000}[^\\s<>"`.,;:!?)\\]}*_~\'])',
    '\\\\([!-\\/:-@[-`{-~])',
  ].join('|'),
  'g',
);

/** Parses inline Markdown. Images become links, so that text of a model loads nothing. */
export function parseInline(text: string, depth = 0): readonly Inline[] {
  const pieces: Inline[] = [];
  let done = 0;
  for (const match of text.matchAll(span)) {
    if (match.index > done) pieces.push({ kind: 'text', text: text.slice(done, match.index) });
    pieces.push(pieceOf(match, depth));
    done = match.index + match[0].length;
  }
  if (done < text.length) pieces.push({ kind: 'text', text: text.slice(done) });
  return pieces;
}

function pieceOf(
  [whole, , code, bold, alsoBold, slanted, alsoSlanted, gone, label, address, bare, escaped]: RegExpMatchArray,
  depth: number,
): Inline {
  const within = (inner: string): readonly Inline[] =>
    depth < maxDepth ? parseInline(inner, depth + 1) : [{ kind: 'text', text: inner }];
  if (code !== undefined) return { kind: 'code', text: code.length > 2 ? code.replace(/^ (.*) $/s, '$1') : code };
  const strong = bold ?? alsoBold;
  if (strong !== undefined) return { kind: 'strong', pieces: within(strong) };
  const emphasis = slanted ?? alsoSlanted;
  if (emphasis !== undefined) return { kind: 'emphasis', pieces: within(emphasis) };
  if (gone !== undefined) return { kind: 'struck', pieces: within(gone) };
  if (label !== undefined && address !== undefined)
    return { kind: 'link', address, pieces: withoutLinks(within(label)) };
  if (bare !== undefined) return { kind: 'link', address: bare, pieces: [{ kind: 'text', text: bare }] };
  return { kind: 'text', text: escaped ?? whole };
}

/** Unwraps links in a link label: a label that looks like a URL must not become a second link. */
function withoutLinks(pieces: readonly Inline[]): readonly Inline[] {
  return pieces.flatMap((piece): readonly Inline[] => {
    if (piece.kind === 'link') return withoutLinks(piece.pieces);
    return 'pieces' in piece ? [{ ...piece, pieces: withoutLinks(piece.pieces) }] : [piece];
  });
}
