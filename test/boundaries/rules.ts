import { posix } from 'node:path';
import {
  allowedImports,
  meaninglessWords,
  environmentReaders,
  packageFolders,
  maxFileLines,
  foldersWithoutPackages,
} from './architecture.ts';
import type { SourceFile } from './source-graph.ts';

/** Checks the import graph, and returns one line for each breach. */
export type Rule = (graph: readonly SourceFile[]) => string[];

/** src/ contains only the folders of the architecture page. */
export const knownFolders: Rule = (graph) =>
  graph
    .filter(({ path }) => !isTest(path) && !(folderOf(path) in allowedImports))
    .map(({ path }) => `${path} is in no folder of the architecture`);

/** A folder imports only the folders that the architecture allows. */
export const importDirection: Rule = (graph) =>
  imports(graph)
    .filter(
      ({ from, to }) => folderOf(from) !== folderOf(to) && !allowedImports[folderOf(from)]?.includes(folderOf(to)),
    )
    .map(({ from, to }) => `${from} imports ${to}, but ${folderOf(from)} may not import ${folderOf(to)}`);

/** Shipped code imports no tests, and nothing outside src/. */
export const noTestImports: Rule = (graph) =>
  imports(graph)
    .filter(({ to }) => isTest(to) || to.startsWith('..'))
    .map(({ from, to }) => `${from} imports ${to}, which is not shipped`);

/** No file imports itself, directly or indirectly. */
export const noCycles: Rule = (graph) => {
  const files = new Map(graph.map((file) => [file.path, file.files]));
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    else if (!done.has(path)) {
      for (const next of files.get(path) ?? []) visit(next, [...trail, path]);
      done.add(path);
    }
  };
  for (const path of files.keys()) visit(path, []);
  return cycles;
};

/** Each third-party package is imported only in its folders. */
export const packagesInTheirFolders: Rule = (graph) =>
  packageImports(graph).flatMap(({ from, name }) =>
    packageFolders
      .filter(({ packages, folders }) => packages.some(matches(name)) && !folders.some(contains(from)))
      .map(({ folders }) => `${from} imports ${name}, which belongs in ${folders.join(' and ')}`),
  );

/** Some folders import no packages. */
export const noPackages: Rule = (graph) =>
  packageImports(graph)
    .filter(({ from, name }) => foldersWithoutPackages.includes(folderOf(from)) && !name.startsWith('node:'))
    .map(({ from, name }) => `${from} imports ${name}, but ${folderOf(from)} has no dependencies`);

/** Environment variables are read in one file, and in files that pass them on. */
export const environmentInOnePlace: Rule = (graph) =>
  shipped(graph)
    .filter(({ path, readsEnvironment }) => readsEnvironment && !environmentReaders.includes(path))
    .map(({ path }) => `${path} reads process.env, which only host/environment.ts may do`);

/** No file is longer than the maximum. */
export const maxFileLength: Rule = (graph) =>
  graph
    .filter(({ lines }) => lines > maxFileLines)
    .map(({ path, lines }) => `${path} has ${lines} lines, at most ${maxFileLines} are allowed`);

/** File and folder names have a meaning. */
export const descriptiveNames: Rule = (graph) =>
  graph.flatMap(({ path }) =>
    path
      .split(/[/.-]/)
      .filter((word) => meaninglessWords.includes(word))
      .map((word) => `${path} is named "${word}", which has no meaning`),
  );

function imports(graph: readonly SourceFile[]): { readonly from: string; readonly to: string }[] {
  return shipped(graph).flatMap(({ path, files }) => files.map((to) => ({ from: path, to })));
}

function packageImports(graph: readonly SourceFile[]): { readonly from: string; readonly name: string }[] {
  return shipped(graph).flatMap(({ path, packages }) => packages.map((name) => ({ from: path, name })));
}

function shipped(graph: readonly SourceFile[]): SourceFile[] {
  return graph.filter(({ path }) => !isTest(path));
}

function isTest(path: string): boolean {
  return /\.(test|conformance)\.ts$/.test(path);
}

function folderOf(path: string): string {
  return path.split('/')[0] ?? path;
}

/** `hono` matches `hono` and `hono/streaming`, `@ai-sdk/*` every package of that scope. */
function matches(name: string): (pattern: string) => boolean {
  return (pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern || name.startsWith(`${pattern}/`);
}

function contains(path: string): (folder: string) => boolean {
  return (folder) => !posix.relative(folder, path).startsWith('..');
}
