import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { messageOf } from '../../core/errors.ts';
import { PolicyError } from './policy-error.ts';
import type { PolicyDocument } from './read-policies.ts';
import type { RulePath } from './object-reader.ts';

const maxTextLength = 1024 * 1024;

const require = createRequire(import.meta.url);
/** Loaded with the first text, because rules inside the configuration do not need it. */
const yaml = (): typeof Yaml => require('yaml') as typeof Yaml;

/** Parses the text of a policy in YAML, which includes JSON. */
export function parsePolicyText(text: string, name: string, place?: string): PolicyDocument {
  const file = place ?? name;
  if (text.length > maxTextLength) throw createError(file, `more than ${maxTextLength} characters`);
  const { LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const placeAt = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  // One mistake in the indentation causes several errors of the parser.
  const [first] = document.errors.toSorted((one, other) => one.pos[0] - other.pos[0]);
  if (first !== undefined)
    throw new PolicyError([
      { file, ...placeAt(first.pos[0]), path: '', message: `invalid YAML: ${first.message.trim()}` },
    ]);
  let value: unknown;
  try {
    value = document.toJS() as unknown;
  } catch (error) {
    throw createError(file, messageOf(error));
  }
  return {
    value: value ?? [],
    file: name,
    path: file,
    placeOf: (path, offset) => placeAt(offsetOf(document.contents, path, offset)),
  };
}

function createError(file: string, message: string): PolicyError {
  return new PolicyError([{ file, line: 1, column: 1, path: '', message }]);
}

/** Returns the offset of a part: of its key, if it has one, or of a position inside its text. */
function offsetOf(root: unknown, path: RulePath, inText: number | undefined): number {
  const { isMap, isNode, isScalar, isSeq } = yaml();
  let node: Yaml.Node | undefined = isNode(root) ? root : undefined;
  let start = node?.range?.[0] ?? 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (pair === undefined) break;
      start = isNode(pair.key) ? (pair.key.range?.[0] ?? start) : start;
      node = isNode(pair.value) ? pair.value : undefined;
    } else if (isSeq(node)) {
      const item: unknown = node.items[Number(step)];
      node = isNode(item) ? item : undefined;
      start = node?.range?.[0] ?? start;
    } else break;
  }
  if (inText === undefined || !isScalar(node)) return start;
  const begin = node.range?.[0] ?? start;
  // In multi-line text, or with escapes, the beginning is the best approximation.
  if (node.type === 'PLAIN') return begin + inText;
  return node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE' ? begin + 1 + inText : begin;
}
