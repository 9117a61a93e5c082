import { existsSync, realpathSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packageDirectory } from '../../config/trust/start-files.ts';

/** One tool module, and its files. */
interface ToolModule {
  /** Incremented with every change of one of its files. Node caches modules by URL, so each change needs a new URL. */
  generation: number;
  /** Its own file and every file that it imports, directly or indirectly. Files of packages are excluded. */
  readonly files: Set<string>;
  /** The directories of the packages that it imports, directly or indirectly. */
  readonly packages: Set<string>;
}

const modules = new Map<string, ToolModule>();
/** The query parameter of the URLs of reloaded modules. Files that they import get it too. */
const generationParameter = 'signalbox-generation';
const listeners = new Set<(file: string) => void>();
let isRegistered = false;

/** Imports the current version of a tool module. Watches the files that it imports, even when the import fails. */
export async function importToolModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  // Registered only now, because the hooks slow down every later import.
  registerOnce();
  const module = moduleOf(file);
  const { generation } = module;
  for (const each of [file, realPath(file)]) addFile(each, [module]);
  const url = pathToFileURL(file);
  if (generation > 0) url.searchParams.set(generationParameter, String(generation));
  return (await import(url.href)) as Readonly<Record<string, unknown>>;
}

/** Calls the listener with each file of a tool module before it is read. */
export function onModuleFile(listener: (file: string) => void): void {
  listeners.add(listener);
}

/** Returns the files of the tool module at this path that were imported so far. */
export function filesOfModule(file: string): ReadonlySet<string> {
  return modules.get(file)?.files ?? new Set();
}

/** Returns the directories of the packages that the tool module at this path imported so far. */
export function packagesOfModule(file: string): ReadonlySet<string> {
  return modules.get(file)?.packages ?? new Set();
}

/** Makes the next import of a module read all of its files again. The old code stays in memory, because calls may still run it. */
export function renewToolModule(file: string): void {
  const module = moduleOf(file);
  module.generation += 1;
  // CommonJS modules are cached by path, without the query.
  const { cache } = createRequire(import.meta.url);
  for (const each of module.files) delete cache[each];
}

function moduleOf(file: string): ToolModule {
  let module = modules.get(file);
  if (module === undefined) modules.set(file, (module = { generation: 0, files: new Set(), packages: new Set() }));
  return module;
}

/**
 * Lets tool modules `import … from 'signalbox'` where the package is not installed next to them: in a fresh clone,
 * or with a global installation. An installed package takes precedence. Also records the files that tool modules import.
 */
function registerOnce(): void {
  if (isRegistered) return;
  isRegistered = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (specifier === 'signalbox') {
        try {
          return nextResolve(specifier, context);
        } catch {
          return { url: ownEntry(), shortCircuit: true };
        }
      }
      const { parentURL = '' } = context;
      const importers = importersAt(parentURL);
      if (importers.length === 0) return nextResolve(specifier, context);
      if (!isOfFile(specifier) || isInPackage(parentURL)) {
        const resolved = nextResolve(specifier, context);
        recordPackage(resolved.url, importers);
        return resolved;
      }
      // Recorded before it is resolved: a missing file may be created later.
      if (specifier.startsWith('.')) recordFile(new URL(specifier, parentURL).href, importers);
      const resolved = nextResolve(specifier, context);
      if (!recordFile(resolved.url, importers) || context.conditions?.includes('require') === true) return resolved;
      const generation = new URL(parentURL).searchParams.get(generationParameter);
      if (generation === null) return resolved;
      const url = new URL(resolved.url);
      url.searchParams.set(generationParameter, generation);
      return { ...resolved, url: url.href };
    },
  });
}

/** Returns the tool modules that the importing file belongs to. */
function importersAt(parentUrl: string): readonly ToolModule[] {
  const file = pathOf(parentUrl);
  if (file === undefined) return [];
  const home = isInPackage(file) ? packageDirectory(file) : undefined;
  return [...modules.values()].filter(({ files, packages }) =>
    home === undefined ? files.has(file) : packages.has(home),
  );
}

function isInPackage(place: string): boolean {
  return /[\\/]node_modules[\\/]/.test(place);
}

function recordPackage(url: string, importers: readonly ToolModule[]): void {
  const file = pathOf(url);
  if (file === undefined || !isInPackage(file)) return;
  for (const { packages } of importers) packages.add(packageDirectory(file));
}

/** Adds a file to the modules that import it. Returns false for builtins and packages. */
function recordFile(url: string, importers: readonly ToolModule[]): boolean {
  const file = pathOf(url);
  if (file === undefined || isInPackage(file)) {
    recordPackage(url, importers);
    return false;
  }
  addFile(file, importers);
  return true;
}

function addFile(file: string, importers: readonly ToolModule[]): void {
  for (const { files } of importers) files.add(file);
  for (const listener of listeners) listener(file);
}

/** Returns whether an import names a file, not a package. */
function isOfFile(specifier: string): boolean {
  return /^(?:\.{0,2}\/|file:|#)/.test(specifier);
}

function pathOf(url: string): string | undefined {
  return url.startsWith('file:') ? fileURLToPath(url) : undefined;
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function ownEntry(): string {
  const source = new URL('../../index.ts', import.meta.url);
  return existsSync(fileURLToPath(source)) ? source.href : new URL('../../index.js', import.meta.url).href;
}
