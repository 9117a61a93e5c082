import { stripVTControlCharacters } from 'node:util';
import type { Printer } from './terminal.ts';

/** A column of a table of items. */
export interface Column<Item> {
  readonly heading: string;
  /** Formats the cell of an item. */
  readonly cell: (item: Item) => string;
  readonly minimum?: number;
  readonly align?: 'right';
  /** Omitted when the terminal is too narrow, from the last to the first. `--json` prints everything. */
  readonly optional?: true;
}

const gap = '  ';
/** The minimum width at which the last column is readable. */
const minLastWidth = 16;
let segmenter: Intl.Segmenter | undefined;
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;
const ascii = /^[\u0020-\u007e]*$/;

/** Formats items as aligned columns. Shortens the last column to the remaining width, or to the end of the next line. */
export class Table<Item> {
  readonly #columns: readonly Column<Item>[];
  readonly #sample: readonly Item[];
  readonly #bold: (heading: string) => string;
  readonly #widths: readonly number[];
  readonly #width: number;
  readonly #omitted: ReadonlySet<number>;

  /** Derives the widths from `sample`. Wider rows that follow shift their later columns. */
  constructor(
    columns: readonly Column<Item>[],
    sample: readonly Item[],
    { width = Number.POSITIVE_INFINITY, colors }: Pick<Printer, 'width' | 'colors'>,
  ) {
    this.#columns = columns;
    this.#sample = sample;
    this.#bold = colors.bold;
    this.#width = width;
    this.#widths = columns.map(({ heading, cell, minimum = 0 }) =>
      sample.reduce((widest, item) => Math.max(widest, textWidth(cell(item))), Math.max(minimum, heading.length)),
    );
    this.#omitted = this.#omittedColumns();
  }

  heading(): string {
    return this.#bold(this.#line(this.#columns.map((column) => column.heading)));
  }

  row(item: Item): string {
    return this.#line(this.#columns.map(({ cell }) => cell(item)));
  }

  /** Returns the heading and the sample as lines. */
  text(): string {
    return `${[this.heading(), ...this.#sample.map((item) => this.row(item))].join('\n')}\n`;
  }

  #line(cells: readonly string[]): string {
    let line = '';
    for (const [index, cell] of cells.entries()) {
      if (this.#omitted.has(index)) continue;
      if (line !== '') line += gap;
      if (index === cells.length - 1) line += shorten(cell, this.#roomAfter(line));
      else line += this.#pad(cell, index);
    }
    return line.trimEnd();
  }

  /** With too little room, the last column continues to the end of the next terminal line. */
  #roomAfter(line: string): number {
    const room = this.#width - textWidth(line);
    return room < minLastWidth ? room + this.#width : room;
  }

  #omittedColumns(): Set<number> {
    const omitted = new Set<number>();
    const last = this.#columns.length - 1;
    let room = this.#width - Math.min(this.#widths[last] ?? 0, minLastWidth);
    for (const width of this.#widths.slice(0, last)) room -= width + gap.length;
    for (let index = last - 1; index >= 0 && room < 0; index -= 1) {
      if (this.#columns[index]?.optional !== true) continue;
      omitted.add(index);
      room += (this.#widths[index] ?? 0) + gap.length;
    }
    return omitted;
  }

  #pad(cell: string, index: number): string {
    const space = ' '.repeat(Math.max(0, (this.#widths[index] ?? 0) - textWidth(cell)));
    return this.#columns[index]?.align === 'right' ? space + cell : cell + space;
  }
}

/** Shortens text to a width and appends an ellipsis. Returns the text unchanged for widths below 10. */
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

/** Returns the number of terminal cells that a text occupies. */
export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(stripVTControlCharacters(text))) width += segmentWidth(segment);
  return width;
}

/** Splits text into graphemes. The segmenter is created on demand, because that takes 15 ms and most commands do not need it. */
function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

function segmentWidth(segment: string): number {
  return wide.test(segment) ? 2 : 1;
}
