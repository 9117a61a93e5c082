/**
 * Builds the files of the package: `node build.ts [--out DIR]`. It bundles the modules into a few files, because finding and reading
 * a module takes longer than running it. Most dependencies are not bundled. See docs/decisions/start.md.
 */
import { globSync, readFileSync, realpathSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSync } from 'oxc-parser';
import { type Plugin, rolldown } from 'rolldown';
import manifest from './package.json' with { type: 'json' };

const { values } = parseArgs({ options: { out: { type: 'string' } } });
const root = import.meta.dirname;
const source = join(root, 'src');

/** The entry points of the library. */
const exported = Object.values(manifest.exports)
  .filter((target) => typeof target !== 'string')
  .map((target) => target.default.replace(/^\.\/dist\/(.*)\.js$/, '$1'));
/** The command, and the worker threads, which are started by their file path. */
const programs = ['cli/main', ...globSync('**/*-worker.ts', { cwd: source }).map((file) => file.replace(/\.ts$/, ''))];

/**
 * The modules that are loaded at the same time, by the name of their group. The modules of one group become one file, and modules
 * that several groups share become one file for each combination, so that no group loads a module that it does not import. All
 * other modules are in separate files, which are loaded on demand.
 */
const loadGroups: Readonly<Record<string, readonly string[]>> = {
  library: ['index.ts'],
  command: ['cli/main.ts'],
  serve: ['cli/commands/serve/serve.ts'],
  stdio: ['cli/commands/serve/stdio.ts', 'host/daemon/run-stdio.ts'],
  // Before the external servers are started.
  start: ['host/read-configuration.ts', 'host/box/open-box.ts', 'host/servers/external-server.ts'],
  rules: ['config/file/load-policies.ts'],
  // While the external servers start.
  box: ['host/box/create-box.ts', 'pipeline/policies/compile-policies.ts'],
  network: ['sources/mcp/http/http-link.ts'],
  serving: ['host/daemon/run-server.ts', 'host/box/configured-agents.ts', 'sessions/create-sessions.ts'],
  endpoint: ['surfaces/mcp/mcp-endpoint.ts', 'surfaces/mcp/stdio/serve-stdio.ts'],
  pages: ['server/app.ts'],
};

/**
 * The groups that are always loaded before a group; each list is one possible sequence. Modules that the group shares with all groups
 * of one of the lists are loaded already, and need no additional file.
 */
const loadedBefore: Readonly<Record<string, readonly (readonly string[])[]>> = {
  start: [['command']],
  // These commands load `start` at once.
  serve: [['command'], ['start']],
  stdio: [['command'], ['start']],
  rules: [
    ['library', 'command'],
    ['library', 'start'],
  ],
  box: [['command'], ['start']],
  serving: [['command'], ['start'], ['serve'], ['box']],
  pages: [['command'], ['start'], ['serve'], ['box'], ['serving']],
  network: [
    ['library', 'command'],
    ['library', 'start'],
    ['library', 'box'],
  ],
  endpoint: [
    ['library', 'command'],
    ['library', 'start'],
    ['library', 'box'],
  ],
};

/**
 * The dependencies that are bundled, because they are loaded before servers are started. Zod has ninety-five files, half of them
 * translations of messages, and Commander imports `node:process` (see `bareBuiltins`).
 */
const bundled = ['zod', 'commander', 'jsonc-parser', '@marcbachmann/cel-js', 'picocolors'].map((name) => ({
  name,
  directory: realpathSync(join(root, 'node_modules', name)),
}));
const isBundled = (id: string): boolean =>
  bundled.some(({ name, directory }) => id === name || id.startsWith(`${name}/`) || id.startsWith(directory));

/** Builtins that take milliseconds to load. They are loaded with the first call of one of their functions. */
const slowBuiltins: ReadonlySet<string> = new Set(['node:crypto', 'node:fs/promises', 'node:v8']);

/**
 * The groups that a process loads late or never. A module of one of them that a module outside all groups imports too is a separate
 * file; otherwise that import would load the whole group.
 */
const lateGroups: ReadonlySet<string> = new Set(['pages']);

type ImportsOf = (id: string) => readonly string[];
const loadedBy = new Map<string, ReadonlySet<string>>();
const moduleIds: string[] = [];
let loadedOnDemand: ReadonlySet<string> | undefined;

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries([
    ...programs.map((name) => [name, join(source, `${name}.ts`)]),
    ...exported.map((name) => [chunkOf(name), join(source, `${name}.ts`)]),
  ]),
  // Files may export more to each other than their modules do; `publicExports` restricts the entry points of the library.
  preserveEntrySignatures: 'allow-extension',
  platform: 'node',
  // Optional dependencies are resolved when they are imported.
  external: (name) => !name.startsWith('.') && !name.startsWith(source) && !isBundled(name) && !isBuiltin(name),
  tsconfig: false,
  // Zod reads it to detect Cloudflare; Node takes 5 ms to create it.
  transform: { define: { navigator: 'undefined' } },
  // Prefers ES modules, of which unused exports can be removed.
  resolve: { mainFields: ['module', 'main'] },
  plugins: [bareBuiltins(), modulePaths(), publicExports(), licenses(), listModules()],
  checks: { ineffectiveDynamicImport: false },
});
await bundle.write({
  dir: resolve(values.out ?? join(root, 'dist')),
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  // Comments are a third of the text, which is read, decoded and hashed with every start. ASCII text takes one byte a character.
  comments: false,
  minify: {
    compress: false,
    mangle: false,
    codegen: { removeWhitespace: false, asciiOnly: true, legalComments: 'none' },
  },
  codeSplitting: {
    groups: [
      {
        debugName: 'load groups',
        name: (id, graph) => groupOf(id, (each) => graph.getModuleInfo(each)?.importedIds ?? []),
      },
    ],
    includeDependenciesRecursively: false,
  },
});
await bundle.close();

/** Returns the name of the file for a module, from the groups that load it; `null` for a module that is loaded on demand. */
function groupOf(id: string, importsOf: ImportsOf): string | null {
  const loading = new Set(Object.keys(loadGroups).filter((name) => modulesOf(name, importsOf).has(id)));
  const isLoadedBefore = (name: string): boolean =>
    loadedBefore[name]?.some((sequence) => sequence.every((each) => loading.has(each))) ?? false;
  const names = [...loading].filter((name) => !isLoadedBefore(name));
  if (names.length === 0) return null;
  if (names.every((name) => lateGroups.has(name)) && modulesOnDemand(importsOf).has(id)) return null;
  return names.join('-');
}

/** Returns the modules that a group loads. */
function modulesOf(group: string, importsOf: ImportsOf): ReadonlySet<string> {
  let loaded = loadedBy.get(group);
  if (loaded === undefined) {
    const files = (loadGroups[group] ?? []).map((file) => join(source, file));
    loadedBy.set(group, (loaded = closureOf(files, importsOf)));
  }
  return loaded;
}

/** Returns the modules that are in no group, and everything that they import. */
function modulesOnDemand(importsOf: ImportsOf): ReadonlySet<string> {
  const isGrouped = (id: string): boolean => Object.keys(loadGroups).some((name) => modulesOf(name, importsOf).has(id));
  return (loadedOnDemand ??= closureOf(
    moduleIds.filter((id) => !isGrouped(id)),
    importsOf,
  ));
}

function closureOf(ids: readonly string[], importsOf: ImportsOf): ReadonlySet<string> {
  const found = new Set(ids);
  for (const id of found) for (const each of importsOf(id)) found.add(each);
  return found;
}

function chunkOf(entry: string): string {
  return `chunks/${entry.replaceAll('/', '-')}`;
}

/** Collects the modules of the bundle, which `groupOf` needs before all of them were named. */
function listModules(): Plugin {
  return {
    name: 'list-modules',
    buildEnd() {
      moduleIds.push(...this.getModuleIds());
    },
  };
}

/** Adds the licenses of the bundled dependencies. */
function licenses(): Plugin {
  return {
    name: 'licenses',
    generateBundle() {
      for (const { name, directory } of bundled) {
        const [file = 'LICENSE'] = globSync('LICENSE*', { cwd: directory });
        const terms = readFileSync(join(directory, file), 'utf8');
        this.emitFile({ type: 'asset', fileName: `chunks/LICENSE.${name.replace('/', '.')}.txt`, source: terms });
      }
    },
  };
}

/**
 * Imports builtins without their ES module wrapper, which reads every property of the module; some properties open the standard
 * streams, or load all of `fetch`, when they are read.
 */
function bareBuiltins(): Plugin {
  const mark = '\0bare:';
  return {
    name: 'bare-builtins',
    resolveId: (name) => (isBuiltin(name) ? `${mark}${name}` : null),
    load(id) {
      if (!id.startsWith(mark)) return null;
      const name = JSON.stringify(id.slice(mark.length));
      const names = Object.keys(Object(process.getBuiltinModule(id.slice(mark.length)))).filter((each) =>
        /^(?!default$)[A-Za-z_$][\w$]*$/.test(each),
      );
      const get = `process.getBuiltinModule(${name})`;
      if (slowBuiltins.has(id.slice(mark.length)))
        return names
          .filter((each) => isFunction(id.slice(mark.length), each))
          .map((each) => `export let ${each} = (...args) => (${each} = ${get}.${each})(...args);`)
          .join('\n');
      const lines = names.map((each) => `export const ${each} = /* @__PURE__ */ (() => builtin.${each})();`);
      return [`const builtin = ${get};`, 'export default builtin;', ...lines].join('\n');
    },
  };
}

/** Returns whether an export is a function. Importing anything else of a slow builtin, such as a class, fails the build. */
function isFunction(builtin: string, name: string): boolean {
  return /^[a-z]/.test(name) && typeof Reflect.get(Object(process.getBuiltinModule(builtin)), name) === 'function';
}

/** Creates the entry points of the library, which export only the names of their modules. */
function publicExports(): Plugin {
  return {
    name: 'public-exports',
    generateBundle() {
      for (const entry of exported) {
        const names = this.getModuleInfo(join(source, `${entry}.ts`))?.exports ?? [];
        if (names.length === 0 || names.includes('*')) throw new Error(`${entry} does not list what it exports`);
        const from = posix.relative(posix.dirname(entry), chunkOf(entry));
        const code = `export { ${names.join(', ')} } from './${from}.js';\n`;
        this.emitFile({ type: 'asset', fileName: `${entry}.js`, source: code });
      }
    },
  };
}

/** Preserves `import.meta` of each module, so that paths relative to the module remain valid. */
function modulePaths(): Plugin {
  const mark = /META_OF\("([^"]+)"\)\.(\w+)/g;
  return {
    name: 'module-paths',
    transform(code, id) {
      const { importMetas } = parseSync(id, code).module;
      if (importMetas.length === 0 || !id.startsWith(source)) return undefined;
      const path = relative(source, id).replaceAll('\\', '/').replace(/ts$/, 'js');
      return importMetas.reduceRight(
        (text, { start, end }) => `${text.slice(0, start)}META_OF("${path}")${text.slice(end)}`,
        code,
      );
    },
    renderChunk: (code, { fileName }) =>
      code.replaceAll(mark, (expression, path: string, property: string) => {
        const from = posix.dirname(fileName);
        if (property === 'url') return `new URL("${posix.relative(from, path)}", import.meta.url).href`;
        const directory = `${posix.relative(from, posix.dirname(path)) || '.'}/`;
        // Node's value has no trailing slash.
        if (property === 'dirname')
          return `process.getBuiltinModule("node:url").fileURLToPath(new URL("${directory}", import.meta.url)).slice(0, -1)`;
        throw new Error(`${path} uses import.meta.${property}, which the package does not support (${expression})`);
      }),
  };
}
