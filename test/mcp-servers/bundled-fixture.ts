import { globSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../support/command.ts';

const cache = join(root, 'node_modules', '.cache');
const place = join(cache, 'fixture');

/**
 * The fixture as one file of JavaScript. Tests start hundreds, with an environment without a compile cache: from source, each would
 * take twice the processor time. It is bundled again when it is older than its sources.
 */
export const bundledFixture = join(place, 'fixture-program.mjs');
if (!isFresh()) await bundle();

function isFresh(): boolean {
  const at = timeOf(bundledFixture);
  const sources = globSync(['test/mcp-servers/fixture-*.ts', 'package-lock.json'], { cwd: root });
  return at > 0 && sources.every((path) => timeOf(join(root, path)) <= at);
}

function timeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

async function bundle(): Promise<void> {
  const { rolldown } = await import('rolldown');
  mkdirSync(place, { recursive: true });
  const input = fileURLToPath(new URL('./fixture-program.ts', import.meta.url));
  const bundled = await rolldown({ input, platform: 'node', logLevel: 'silent' });
  const { output } = await bundled.generate({ codeSplitting: false });
  put('program.mjs', output[0].code);
  put(
    'fixture-program.mjs',
    `import { enableCompileCache } from 'node:module';
enableCompileCache(${JSON.stringify(join(cache, 'tests'))});
await import('./program.mjs');
`,
  );
}

/** Replaces a file atomically, since another test may start it at the same time. */
function put(name: string, text: string): void {
  const aside = join(place, `${name}-${process.pid}`);
  writeFileSync(aside, text);
  renameSync(aside, join(place, name));
}
