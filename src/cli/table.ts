import { stripVTControlCharacters } from 'node:util';

/** A column: its heading, and how narrow it may never be. */
export interface Column {
  readonly heading: string;
  readonly minimum?: number;
  readonly align?: 'right';
}

const gap = '  ';
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;
const ascii = /^[\u0020-\u007e]*$/;

/** Lines up rows in columns; the last column is shortened to what fits the width. */
export class Table {
  readonly #columns: readonly Column[];
  readonly #widths: readonly number[];
  readonly #width: number;

  /** `sample` decides how wide the columns are; rows that come later may be wider and push what follows. */
  constructor(columns: readonly Column[], sample: readonly (readonly string[])[], width: number | undefined) {
    this.#columns = columns;
    this.#width = width ?? Number.POSITIVE_INFINITY;
    this.#widths = columns.map(({ heading, minimum = 0 }, index) =>
      sample.reduce((widest, row) => Math.max(widest, textWidth(row[index] ?? '')), Math.max(minimum, heading.length)),
    );
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
      if (index > 0) line += gap;
      if (index === cells.length - 1) line += shorten(cell, this.#width - textWidth(line));
      else line += this.#pad(cell, index);
    }
    return line.trimEnd();
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
  for (const { segment } of graphemes.segment(text)) {
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
  for (const { segment } of graphemes.segment(stripVTControlCharacters(text))) width += segmentWidth(segment);
  return width;
}

function segmentWidth(segment: string): number {
  return wide.test(segment) ? 2 : 1;
}
