import { applyEdits, findNodeAtLocation, parseTree } from 'jsonc-parser';
import type { Edit, Node } from 'jsonc-parser';

/** Sets a property of a JSON text with comments, and creates missing parent objects. The rest of the text does not change. */
export function setProperty(text: string, path: readonly string[], value: unknown): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined) throw new TypeError('a text without a value cannot be edited');
  const existing = findNodeAtLocation(root, [...path]);
  if (existing !== undefined) return replaced(text, existing, JSON.stringify(value));
  const depth = path.findLastIndex((_, index) => findNodeAtLocation(root, path.slice(0, index))?.type === 'object');
  const [key, ...inner] = path.slice(depth);
  const parent = findNodeAtLocation(root, path.slice(0, depth));
  if (key === undefined || parent === undefined) throw new TypeError('only a property of an object can be set');
  const nested = inner.reduceRight<unknown>((content, each) => ({ [each]: content }), value);
  return inserted(text, parent, key, nested);
}

/** Removes a property with the comment at the end of its line. A comment above it stays. */
export function removeProperty(text: string, path: readonly string[]): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const property = root && findNodeAtLocation(root, [...path])?.parent;
  if (property?.type !== 'property') return text;
  const siblings = property.parent?.children ?? [];
  const previous = siblings[siblings.indexOf(property) - 1];
  const isLast = siblings.at(-1) === property;
  const comma = commaAfter(text, property);
  let end = comma === undefined ? endOf(property) : comma + 1;
  end += restOfLine(text, end, isLast).length;
  let start = property.offset;
  const before = /[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0;
  const lineBreak = /^\r?\n/.exec(text.slice(end))?.[0].length;
  const standsAlone = /(?:^|[\r\n])$/.test(text.slice(0, start - before));
  if (standsAlone && lineBreak !== undefined) {
    start -= before;
    end += lineBreak;
  } else if (isLast && previous !== undefined) {
    start -= before;
  } else {
    end += /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  }
  const edits: Edit[] = [{ offset: start, length: end - start, content: '' }];
  // Removes a trailing comma, which other JSON parsers reject.
  const dangling = isLast && comma === undefined && previous !== undefined ? commaAfter(text, previous) : undefined;
  if (dangling !== undefined) edits.push({ offset: dangling, length: 1, content: '' });
  return applyEdits(text, edits);
}

function replaced(text: string, node: Node, content: string): string {
  return applyEdits(text, [{ offset: node.offset, length: node.length, content }]);
}

function inserted(text: string, parent: Node, key: string, value: unknown): string {
  const last = parent.children?.at(-1);
  const closing = endOf(parent) - 1;
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  if (last !== undefined && !text.slice(parent.offset, closing).includes('\n')) {
    const property = `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
    const comma = commaAfter(text, last);
    return applyEdits(text, [
      { offset: comma ?? endOf(last), length: comma === undefined ? 0 : 1, content: `, ${property}` },
    ]);
  }
  const outer = indentationAt(text, parent.offset);
  const step = indentationStep(text);
  const property = `${JSON.stringify(key)}: ${render(value, step)}`
    .split('\n')
    .map((line) => outer + step + line)
    .join(lineBreak);
  // Inserted after the last comment, so that every comment stays in place.
  const tail = text.slice(parent.offset, closing);
  const offset = parent.offset + tail.trimEnd().length;
  const edits: Edit[] = [{ offset, length: closing - offset, content: `${lineBreak}${property}${lineBreak}${outer}` }];
  if (last !== undefined && commaAfter(text, last) === undefined)
    edits.unshift({ offset: endOf(last), length: 0, content: ',' });
  return applyEdits(text, edits);
}

/** Formats a value with objects on several lines and arrays on one. */
function render(value: unknown, step: string): string {
  if (Array.isArray(value)) return `[${value.map((each) => render(each, step)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const lines = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${render(each, step)}`);
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n').replaceAll(/^/gm, step)}\n}`;
}

/** Returns the offset of the comma after a property. */
function commaAfter(text: string, property: Node): number | undefined {
  const gap = /^(?:\s|\/\/[^\n\r]*(?=[\n\r])|\/\*(?:(?!\*\/)[^])*\*\/)*,/.exec(text.slice(endOf(property)))?.[0];
  return gap === undefined ? undefined : endOf(property) + gap.length - 1;
}

/** Returns the spaces and the comment up to the end of the line, which belong to the property before them. */
function restOfLine(text: string, offset: number, isLast: boolean): string {
  const rest =
    /^[ \t]*(?:\/\/[^\n\r]*|\/\*(?:(?!\*\/)[^\n\r])*\*\/[ \t]*(?=[\r\n]))?/.exec(text.slice(offset))?.[0] ?? '';
  return isLast && rest.trim() === '' && !/^[\r\n]/.test(text.slice(offset + rest.length)) ? '' : rest;
}

function indentationAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart))?.[0] ?? '';
}

function indentationStep(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}

function endOf(node: Node): number {
  return node.offset + node.length;
}
