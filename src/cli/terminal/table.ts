import { stripVTControlCharacters } from 'node:util';

/** A column: its heading, and how narrow it may never be. */
export interface Column {
  readonly heading: string;
  readonly minimum?: number;
  readonly align?: 'right';
  /** Left out where there is no room for all; of several, the last one first. Programs get everything with `--json`. */
  readonly optional?: true;
}

const gap = '  ';
/** The last column is of no use with less. */
const minLastWidth = 16;
let segmenter: Intl.Segmenter | undefined;
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;
const ascii = /^[\u0020-\u007e]*$/;

/** Lines up rows in columns; the last column is shortened to what fits the width, or two lines of it. */
export class Table {
  readonly #columns: readonly Column[];
  readonly #widths: readonly number[];
  readonly #width: number;
  readonly #leftOut: ReadonlySet<number>;

  /** `sample` decides how wide the columns are; rows that come later may be wider and push what follows. */
  constructor(columns: readonly Column[], sample: readonly (readonly string[])[], width: number | undefined) {
    this.#columns = columns;
    this.#width = width ?? Number.POSITIVE_INFINITY;
    this.#widths = columns.map(({ heading, minimum = 0 }, index) =>
      sample.reduce((widest, row) => Math.max(widest, textWidth(row[index] ?? '')), Math.max(minimum, heading.length)),
    );
    this.#leftOut = this.#withoutRoom();
  }

  heading(): string {
    return this.row(this.#columns.map((column) => column.heading));
  }

  /** Heading and rows, each in a line of its own. */
  text(rows: readonly (readonly string[])[], bold: (heading: string) => string): string {
    return `${[bold(this.heading()), ...rows.map((row) => this.row(row))].join('\n')}\n`;
  }

  row(cells: readonly string[]): string {
    let line = '';
    for (const [index, cell] of cells.entries()) {
      if (this.#leftOut.has(index)) continue;
      if (line !== '') line += gap;
      if (index === cells.length - 1) line += shorten(cell, this.#roomAfter(line));
      else line += this.#pad(cell, index);
    }
    return line.trimEnd();
  }

  /** With too little room left, the last column goes on in the next line of the terminal, and ends there. */
  #roomAfter(line: string): number {
    const room = this.#width - textWidth(line);
    return room < minLastWidth ? room + this.#width : room;
  }

  #withoutRoom(): Set<number> {
    const leftOut = new Set<number>();
    const last = this.#columns.length - 1;
    let room = this.#width - Math.min(this.#widths[last] ?? 0, minLastWidth);
    for (const width of this.#widths.slice(0, last)) room -= width + gap.length;
    for (let index = last - 1; index >= 0 && room < 0; index -= 1) {
      if (this.#columns[index]?.optional !== true) continue;
      leftOut.add(index);
      room += (this.#widths[index] ?? 0) + gap.length;
    }
    return leftOut;
  }

  #pad(cell: string, index: number): string {
    const space = ' '.repeat(Math.max(0, (this.#widths[index] ?? 0) - textWidth(cell)));
    return this.#columns[index]?.align === 'right' ? space + cell : cell + space;
  }
}

/** Cuts text to a width, with a mark that something is missing. Too narrow to be of use, it is left whole. */
export function shorten(text: string, width: number): string {
  if (width < 10 || textWidth(text) <= width) return text;
  let short = '';
  let taken = 0;
  for (const { segment } of graphemes(text)) {
    taken += segmentWidth(segment);
    if (taken >= width) break;
    short += segment;
  }
  return `${short.trimEnd()}…`;
}

/** How many cells of a terminal the text takes. */
export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(stripVTControlCharacters(text))) width += segmentWidth(segment);
  return width;
}

/** What does this takes 15 ms to make, and most commands have nothing to take apart. */
function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

function segmentWidth(segment: string): number {
  return wide.test(segment) ? 2 : 1;
}
