import { createScanner, findNodeAtLocation, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';

/** The keys and array positions from the root to a value. */
export type DocumentPath = readonly (string | number)[];

/** A problem of the text itself, such as a syntax error. */
export interface JsonDocumentProblem {
  readonly offset: number;
  readonly path: DocumentPath;
  readonly message: string;
}

/** Line and column, both counted from 1. */
export interface DocumentPlace {
  readonly line: number;
  readonly column: number;
}

/** A parsed JSON text with comments, with the location of each of its parts. */
export interface JsonDocument {
  readonly value: unknown;
  readonly problems: readonly JsonDocumentProblem[];
  /** Returns where the property or value at the path begins; for a missing one, its nearest existing parent. */
  offsetOf(path: DocumentPath): number;
  placeOf(offset: number): DocumentPlace;
}

const maxDepth = 100;

/** Parses JSON with comments and trailing commas. Syntax errors and duplicate keys are returned as problems. */
export function parseJsonDocument(given: string): JsonDocument {
  const text = given.replace(/^\ufeff/, '');
  const lineStarts = [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map((match) => match.index + match[0].length)];
  const placeOf: JsonDocument['placeOf'] = (offset) => {
    const line = lineStarts.findLastIndex((start) => start <= offset);
    return { line: line + 1, column: offset - (lineStarts[line] ?? 0) + 1 };
  };
  const broken = (problems: readonly JsonDocumentProblem[]): JsonDocument => ({
    value: undefined,
    problems,
    offsetOf: () => 0,
    placeOf,
  });

  // Checked first, because the parser is recursive.
  const tooDeep = offsetTooDeep(text);
  if (tooDeep !== undefined)
    return broken([{ offset: tooDeep, path: [], message: `nested more than ${maxDepth} levels deep` }]);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || root === undefined) return broken(syntaxProblems(errors, text, placeOf));

  const problems: JsonDocumentProblem[] = [];
  const value = valueOf(root, [], problems, (offset) => placeOf(offset).line);
  return {
    value,
    problems,
    offsetOf: (path) => {
      // A missing value is reported at its parent.
      const inside = path.map((_, cut) => findNodeAtLocation(root, path.slice(0, path.length - cut)));
      const node = inside.find((found) => found !== undefined) ?? root;
      return node.parent?.type === 'property' ? node.parent.offset : node.offset;
    },
    placeOf,
  };
}

// jsonc-parser's names for these are `const enum`s, which cannot be imported.
const openingTokens = new Set([1, 3]);
const closingTokens = new Set([2, 4]);
const endOfFile: number = 17;

function offsetTooDeep(text: string): number | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (let token: number = scanner.scan(); token !== endOfFile; token = scanner.scan()) {
    if (openingTokens.has(token)) depth += 1;
    if (closingTokens.has(token)) depth -= 1;
    if (depth > maxDepth) return scanner.getTokenOffset();
  }
  return undefined;
}

const syntaxMessages: Readonly<Record<string, string>> = {
  InvalidSymbol: 'expected a value, a key or one of { } [ ] : , and found something else',
  InvalidNumberFormat: 'expected a number',
  PropertyNameExpected: 'expected a key in double quotes',
  ValueExpected: 'expected a value',
  ColonExpected: 'expected ":" after the key',
  CloseBraceExpected: 'expected "}"',
  CloseBracketExpected: 'expected "]"',
  EndOfFileExpected: 'expected the end of the file',
  InvalidCommentToken: 'expected no comment here',
  UnexpectedEndOfComment: 'expected "*/" to end the comment',
  UnexpectedEndOfString: 'expected a double quote to end the text',
  UnexpectedEndOfNumber: 'expected more digits',
  InvalidUnicode: 'expected four hexadecimal digits after \\u',
  InvalidEscapeCharacter: 'expected a valid escape after \\',
  InvalidCharacter: 'expected no control character here',
};

/** Returns the offset of the last character of the token before an offset, not counting comments. */
function endOfTokenBefore(text: string, before: number): number {
  const scanner = createScanner(text, true);
  let end = 0;
  for (let token: number = scanner.scan(); token !== endOfFile; token = scanner.scan()) {
    if (scanner.getTokenOffset() >= before) break;
    end = scanner.getTokenOffset() + scanner.getTokenLength() - 1;
  }
  return end;
}

/** Returns the first syntax error of each line, because the others on a line mostly follow from it. */
function syntaxProblems(
  errors: readonly ParseError[],
  text: string,
  placeOf: JsonDocument['placeOf'],
): JsonDocumentProblem[] {
  if (text.trim() === '') return [{ offset: 0, path: [], message: 'the file is empty, expected an object' }];
  const problems = new Map<number, JsonDocumentProblem>();
  for (const { error, offset: at } of errors) {
    const code = printParseErrorCode(error);
    const isComma = code === 'CommaExpected';
    const message = isComma ? 'expected "," after this' : (syntaxMessages[code] ?? 'expected valid JSON');
    // The parser notices a missing comma at the next part, which is often on another line.
    const offset = isComma ? endOfTokenBefore(text, at) : at;
    const { line } = placeOf(offset);
    if (!problems.has(line)) problems.set(line, { offset, path: [], message });
  }
  if (problems.size === 0) return [{ offset: 0, path: [], message: 'expected an object' }];
  return [...problems.values()];
}

function valueOf(
  node: Node,
  path: DocumentPath,
  problems: JsonDocumentProblem[],
  lineOf: (offset: number) => number,
): unknown {
  if (node.type === 'array')
    return (node.children ?? []).map((child, index) => valueOf(child, [...path, index], problems, lineOf));
  if (node.type !== 'object') return node.value as unknown;
  const entries = new Map<string, unknown>();
  const lines = new Map<string, number>();
  for (const { offset, children } of node.children ?? []) {
    const [keyNode, valueNode] = children ?? [];
    if (keyNode === undefined || valueNode === undefined) continue;
    const key = String(keyNode.value);
    const first = lines.get(key);
    if (first !== undefined) {
      const message = `duplicate key, on line ${first} and on line ${lineOf(offset)}`;
      problems.push({ offset, path: [...path, key], message });
    } else if (key === '__proto__') {
      problems.push({ offset, path: [...path, key], message: 'this key is not allowed' });
    } else {
      entries.set(key, valueOf(valueNode, [...path, key], problems, lineOf));
    }
    lines.set(key, first ?? lineOf(offset));
  }
  return Object.fromEntries(entries);
}
