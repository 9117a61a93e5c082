import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/** A source file, and what it imports. Paths are relative to src/, with `/`. */
export interface SourceFile {
  readonly path: string;
  readonly lines: number;
  /** Files of src/ that it imports, for values or types, statically or dynamically. */
  readonly files: readonly string[];
  /** Packages and Node modules that it imports, as written. */
  readonly packages: readonly string[];
  /** Whether it accesses `process.env`. */
  readonly readsEnvironment: boolean;
}

/** Reads the import graph of a source directory. */
export function readSourceGraph(directory: string): SourceFile[] {
  return globSync('**/*.{ts,tsx}', { cwd: directory })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
    .map((path) => parseSource(path, readFileSync(join(directory, path), 'utf8')));
}

/** Parses one file. */
export function parseSource(path: string, source: string): SourceFile {
  const { specifiers, readsEnvironment } = visit(path, source);
  const isRelative = (specifier: string): boolean => specifier.startsWith('.');
  return {
    path,
    lines: source.trimEnd().split('\n').length,
    files: specifiers.filter(isRelative).map((specifier) => posix.join(posix.dirname(path), specifier)),
    packages: specifiers.filter((specifier) => !isRelative(specifier)),
    readsEnvironment,
  };
}

function visit(path: string, source: string): { readonly specifiers: string[]; readonly readsEnvironment: boolean } {
  const { program, errors } = parseSync(path, source);
  if (errors[0] !== undefined) throw new Error(`${path} cannot be parsed: ${errors[0].message}`);
  const specifiers = new Set<string>();
  let readsEnvironment = false;
  const addSpecifier = (node: { readonly source: unknown }): void => {
    const { source: from } = node;
    if (typeof from === 'object' && from !== null && 'value' in from && typeof from.value === 'string') {
      specifiers.add(from.value);
    }
  };
  new Visitor({
    ImportDeclaration: addSpecifier,
    ExportNamedDeclaration: addSpecifier,
    ExportAllDeclaration: addSpecifier,
    ImportExpression: addSpecifier,
    TSImportType: addSpecifier,
    MemberExpression({ object, property }) {
      if (isProcess(object) && property.type === 'Identifier' && property.name === 'env') readsEnvironment = true;
    },
    VariableDeclarator({ id, init }) {
      if (!isProcess(init) || id.type !== 'ObjectPattern') return;
      readsEnvironment ||= id.properties.some(
        (each) => each.type === 'Property' && each.key.type === 'Identifier' && each.key.name === 'env',
      );
    },
  }).visit(program);
  return { specifiers: [...specifiers], readsEnvironment };
}

function isProcess(node: { readonly type: string; readonly name?: unknown } | null): boolean {
  return node?.type === 'Identifier' && node.name === 'process';
}
