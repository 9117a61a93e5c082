/**
 * Builds what the package runs: `node build.ts [--out DIR]`. A few files instead of many hundred, because finding and reading a
 * module takes longer than running it; other packages stay what the user has installed. See docs/decisions/start.md.
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

/** The ways into the library. */
const exported = Object.values(manifest.exports)
  .filter((target) => typeof target !== 'string')
  .map((target) => target.default.replace(/^\.\/dist\/(.*)\.js$/, '$1'));
/** The command, and the threads, which are found by their place. */
const programs = ['cli/main', ...globSync('**/*-worker.ts', { cwd: source }).map((file) => file.replace(/\.ts$/, ''))];

/**
 * What is loaded together: one file for what a way has alone, one for what it shares with the same others. So none of them loads
 * what it does not import, and what is not here is in files of its own, which are loaded when they are needed.
 */
const ways: Readonly<Record<string, readonly string[]>> = {
  library: ['index.ts'],
  command: ['cli/main.ts'],
  serve: ['cli/serve/serve.ts'],
  stdio: ['cli/stdio.ts'],
  // Before the servers outside are started.
  start: [
    'host/read-configuration.ts',
    'host/box/start-servers.ts',
    'host/box/open-box.ts',
    'host/servers/external-server.ts',
  ],
  rules: ['config/file/load-policies.ts'],
  // While they start.
  box: ['host/box/create-box.ts', 'pipeline/policies/compile-policies.ts'],
  network: ['sources/mcp/http/http-link.ts'],
  serving: ['host/daemon/run-server.ts', 'host/box/configured-agents.ts', 'sessions/create-sessions.ts'],
  endpoint: ['surfaces/mcp/mcp-endpoint.ts', 'surfaces/mcp/stdio/serve-stdio.ts'],
  pages: ['server/app-listener.ts'],
};

/**
 * Each of these is loaded only after one of the ways that a list names, or after all that led there: what it shares with every one of
 * them is there already, and needs no file of its own.
 */
const after: Readonly<Record<string, readonly (readonly string[])[]>> = {
  start: [['command']],
  // They need it at once.
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
 * Packages of which what we use is part of ours, for what is loaded before servers are started. Zod has ninety-five files, half of them
 * languages that we do not speak, Commander imports `node:process`, see `bareBuiltins`, and the others are used by us alone.
 */
const included = ['zod', 'commander', 'jsonc-parser', '@marcbachmann/cel-js', 'picocolors'].map((name) => ({
  name,
  directory: realpathSync(join(root, 'node_modules', name)),
}));
const isIncluded = (id: string): boolean =>
  included.some(({ name, directory }) => id === name || id.startsWith(`${name}/`) || id.startsWith(directory));

/** Builtins that take milliseconds to load, and of which we use functions alone: loaded with the first call. */
const slowBuiltins: ReadonlySet<string> = new Set(['node:crypto', 'node:fs/promises', 'node:v8']);

type ImportsOf = (id: string) => readonly string[];
const loadedBy = new Map<string, ReadonlySet<string>>();

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries([
    ...programs.map((name) => [name, join(source, `${name}.ts`)]),
    ...exported.map((name) => [chunkOf(name), join(source, `${name}.ts`)]),
  ]),
  // Files may offer each other more than their module does; users see the library through `ownNames`.
  preserveEntrySignatures: 'allow-extension',
  platform: 'node',
  // A package that the user may leave out is looked for when it is needed.
  external: (name) => !name.startsWith('.') && !name.startsWith(source) && !isIncluded(name) && !isBuiltin(name),
  tsconfig: false,
  // Zod asks it whether it runs at Cloudflare's; Node takes 5 ms to make it.
  transform: { define: { navigator: 'undefined' } },
  // What is included should come as ES modules, of which only what is used is taken.
  resolve: { mainFields: ['module', 'main'] },
  plugins: [bareBuiltins(), ownPlaces(), ownNames(), licenses()],
  checks: { ineffectiveDynamicImport: false },
});
await bundle.write({
  dir: resolve(values.out ?? join(root, 'dist')),
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  // A third of the text, which is read, decoded and hashed with every start; and where all is ASCII, a character takes one byte.
  comments: false,
  minify: {
    compress: false,
    mangle: false,
    codegen: { removeWhitespace: false, asciiOnly: true, legalComments: 'none' },
  },
  codeSplitting: {
    groups: [
      { debugName: 'ways', name: (id, graph) => groupOf(id, (each) => graph.getModuleInfo(each)?.importedIds ?? []) },
    ],
    includeDependenciesRecursively: false,
  },
});
await bundle.close();

/** The ways that load a module; none for what is loaded when it is needed. */
function groupOf(id: string, importsOf: ImportsOf): string | null {
  const all = Object.entries(ways).filter(([name, files]) => {
    let loaded = loadedBy.get(name);
    if (loaded === undefined) loadedBy.set(name, (loaded = closureOf(files, importsOf)));
    return loaded.has(id);
  });
  const loading = new Set(all.map(([name]) => name));
  const isThere = (name: string): boolean =>
    after[name]?.some((before) => before.every((each) => loading.has(each))) ?? false;
  const names = [...loading].filter((name) => !isThere(name));
  return names.length === 0 ? null : names.join('-');
}

function closureOf(files: readonly string[], importsOf: ImportsOf): ReadonlySet<string> {
  const found = new Set(files.map((file) => join(source, file)));
  for (const id of found) for (const each of importsOf(id)) found.add(each);
  return found;
}

function chunkOf(entry: string): string {
  return `chunks/${entry.replaceAll('/', '-')}`;
}

/** What is taken over comes with its terms. */
function licenses(): Plugin {
  return {
    name: 'licenses',
    generateBundle() {
      for (const { name, directory } of included) {
        const [file = 'LICENSE'] = globSync('LICENSE*', { cwd: directory });
        const terms = readFileSync(join(directory, file), 'utf8');
        this.emitFile({ type: 'asset', fileName: `chunks/LICENSE.${name.replace('/', '.')}.txt`, source: terms });
      }
    },
  };
}

/**
 * What Node has built in, without the ES module around it: that one reads everything the module has, and there are properties that open
 * the standard streams or load all of `fetch` when they are read.
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
          .map((each) => `export let ${each} = (...given) => (${each} = ${get}.${each})(...given);`)
          .join('\n');
      const lines = names.map((each) => `export const ${each} = /* @__PURE__ */ (() => builtin.${each})();`);
      return [`const builtin = ${get};`, 'export default builtin;', ...lines].join('\n');
    },
  };
}

/** Whoever imports anything else of a slow builtin, such as a class, is told when this is built. */
function isFunction(builtin: string, name: string): boolean {
  return /^[a-z]/.test(name) && typeof Reflect.get(Object(process.getBuiltinModule(builtin)), name) === 'function';
}

/** The ways into the library, with the names that they export and no others. */
function ownNames(): Plugin {
  return {
    name: 'own-names',
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

/** `import.meta` tells each module the place that it would have alone, whichever file it is in: what it looks for from there is there. */
function ownPlaces(): Plugin {
  const mark = /OWN_PLACE_OF\("([^"]+)"\)\.(\w+)/g;
  return {
    name: 'own-places',
    transform(code, id) {
      const { importMetas } = parseSync(id, code).module;
      if (importMetas.length === 0 || !id.startsWith(source)) return undefined;
      const place = relative(source, id).replaceAll('\\', '/').replace(/ts$/, 'js');
      return importMetas.reduceRight(
        (text, { start, end }) => `${text.slice(0, start)}OWN_PLACE_OF("${place}")${text.slice(end)}`,
        code,
      );
    },
    renderChunk: (code, { fileName }) =>
      code.replaceAll(mark, (asked, place: string, property: string) => {
        const from = posix.dirname(fileName);
        if (property === 'url') return `new URL("${posix.relative(from, place)}", import.meta.url).href`;
        const directory = `${posix.relative(from, posix.dirname(place)) || '.'}/`;
        // Without the slash at its end, as Node has it.
        if (property === 'dirname')
          return `process.getBuiltinModule("node:url").fileURLToPath(new URL("${directory}", import.meta.url)).slice(0, -1)`;
        throw new Error(`${place} asks for import.meta.${property}, which it would not get in the package (${asked})`);
      }),
  };
}
