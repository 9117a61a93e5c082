import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import { linksOf } from '../../documents/links.ts';
import { pages } from '../../documents/pages.ts';
import { command, commands, root, type CommandResult } from '../command.ts';

/** A check of the whole repository. */
export interface Gate {
  readonly name: string;
  check(): Promise<CommandResult>;
}

/** The checks that run before the tests. Their commands are the scripts of package.json. */
export const gates: readonly Gate[] = [
  { name: 'types', check: () => script('types') },
  { name: 'lint', check: () => script('lint') },
  { name: 'format', check: () => script('format', '--check') },
  {
    name: 'unused code',
    check: () =>
      commands(
        ['npm', 'run', '--silent', 'unused'],
        // src/ may import only dependencies and peers, no development dependency.
        ['knip', '--production', '--strict', '--dependencies', '--workspace', '.'],
      ),
  },
  { name: 'package', check: checkPackage },
];

function script(name: string, ...args: readonly string[]): Promise<CommandResult> {
  return command('npm', ['run', '--silent', name, '--', ...args]);
}

/**
 * Builds and packs the package, and checks it as its users would: lists the files, runs publint and attw on the tarball, compiles
 * a program with `skipLibCheck` off, imports the entry points, and starts the command with a tool module that uses the library.
 * Works in a temporary directory, so that concurrent runs do not conflict in dist/.
 */
async function checkPackage(): Promise<CommandResult> {
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-package-'));
  try {
    const named = manifest.files.filter((name) => name !== 'dist' && !name.startsWith('!'));
    for (const entry of ['package.json', 'LICENSE', 'README.md', ...named]) {
      const filter = (path: string): boolean => path !== join(root, 'docs', 'site');
      await cp(join(root, entry), join(directory, entry), { recursive: true, filter });
    }
    await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
    await writeFile(join(directory, 'consumer.ts'), consumer);
    await writeFile(join(directory, 'tools.mjs'), tools);
    await writeFile(
      join(directory, 'signalbox.config.json'),
      '{ "mcpServers": { "own": { "module": "./tools.mjs" } } }',
    );
    return await allOf([
      // The check "types" has already type-checked these files.
      () => command('tsc', ['--project', 'tsconfig.build.json', '--noCheck', '--outDir', join(directory, 'dist')]),
      () => command('node', ['build.ts', '--out', join(directory, 'dist')]),
      () => command('node', ['console/build.ts', '--out', join(directory, 'dist', 'console')]),
      () => command('npm', ['pack', '--ignore-scripts', '--silent'], directory),
      () => checkPackedFiles(join(directory, tarball)),
      () => command('publint', ['run', '--strict', tarball], directory),
      () => command('attw', ['--profile', 'esm-only', tarball], directory),
      () =>
        command('tsc', ['consumer.ts', '--noEmit', '--strict', '--module', 'nodenext', '--types', 'node'], directory),
      () =>
        command(
          'node',
          ['--input-type=module', '--eval', entries.map((entry) => `await import('${entry}');`).join(' ')],
          directory,
        ),
      () => command('node', ['bin/signalbox', '--version'], directory),
      () => command('node', ['bin/signalbox', 'call', 'mcp__own__add', '{"a":1,"b":2}', '--data', 'data'], directory),
    ]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** All entry points of the package. */
const entries = Object.keys(manifest.exports)
  .filter((path) => path !== './package.json')
  .map((path) => path.replace('.', manifest.name));

/** The entry points whose declarations can be checked completely. Those of the AI SDK refer to types that it does not include. */
const checked = entries.filter((entry) => !entry.endsWith('/ai-sdk'));

/** A program of a user, which imports the entry points and uses arguments typed by their schema. */
const consumer = `
${checked.map((entry, index) => `import * as entry${index} from '${entry}';`).join('\n')}
import { createSignalbox, defineTool, localServer } from '${manifest.name}';
import { mcpEndpoint } from '${manifest.name}/mcp';
import { createServer } from 'node:http';
import * as z from 'zod';

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }): number => a + b,
});
// @ts-expect-error: there is no argument c
defineTool({ name: 'none', description: 'Nothing.', input: z.object({ a: z.number() }), run: ({ c }) => c });
const box = await createSignalbox({ servers: [localServer({ name: 'math', tools: [add] })] });
const outcome: string = (await box.call('mcp__math__add', { a: 1, b: 2 })).outcome;
const endpoint = mcpEndpoint(box);
const server = createServer((request, response) => void endpoint.handle(request, response, { principal: 'ann' }));
// @ts-expect-error: the caller needs a name
void endpoint.stdio({});
export default [outcome, server, ${checked.map((_, index) => `entry${index}`).join(', ')}];
`;

/** A tool module of a user who has installed the command. It must resolve the same library as the command. */
const tools = `
import { defineTool } from '${manifest.name}';
import * as z from 'zod';

export const add = defineTool({
  name: 'add',
  description: 'Adds.',
  input: z.object({ a: z.number(), b: z.number() }),
  effect: 'read',
  isolate: import.meta.url,
  run: ({ a, b }) => a + b,
});
`;

const tarball = `${manifest.name}-${manifest.version}.tgz`;

async function allOf(steps: readonly (() => Promise<CommandResult>)[]): Promise<CommandResult> {
  for (const step of steps) {
    const result = await step();
    if (!result.ok) return result;
  }
  return { ok: true, output: '' };
}

/** Matches development files, which must not be published. */
const leftover =
  /\.(test|conformance)\.|\.map$|\.tsbuildinfo$|^(test|bench|src|console)\/|^docs\/site\/|\/node_modules\//;

/** Checks that a package contains no development files, and that the links of its pages point to packaged files. */
async function checkPackedFiles(packed: string): Promise<CommandResult> {
  const listed = await command('tar', ['-tzf', packed]);
  if (!listed.ok) return listed;
  const files = new Set(
    listed.output
      .trim()
      .split('\n')
      .map((name) => name.replace('package/', '')),
  );
  const problems = [
    ...[...files].filter((file) => leftover.test(file)).map((file) => `${file} is not for users`),
    ...pages.filter(({ file }) => files.has(file)).flatMap((page) => linksOut(page.file, linksOf(page), files)),
  ];
  return { ok: problems.length === 0, output: problems.join('\n') };
}

function linksOut(
  file: string,
  links: readonly { readonly target: string; readonly line: number }[],
  files: ReadonlySet<string>,
): string[] {
  return links.flatMap(({ target, line }) => {
    const [path = ''] = target.split('#');
    if (path === '' || /^[a-z]+:/.test(target)) return [];
    const linked = normalize(`${dirname(file)}/${path}`).replace(/\/$/, '');
    const isPackaged = files.has(linked) || [...files].some((each) => each.startsWith(`${linked}/`));
    return isPackaged ? [] : [`${file}:${line}: ${target} is not in the package`];
  });
}
