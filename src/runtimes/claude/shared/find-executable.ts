import { accessSync, constants, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const sdk = '@anthropic-ai/claude-agent-sdk';

/** Where the program of Claude Code is: on the PATH, or where the Claude Agent SDK brought it along; `undefined` if neither. */
export function findExecutable(path = process.env['PATH'] ?? ''): string | undefined {
  const onPath = path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'claude'));
  return onPath.find(canRun) ?? bundled();
}

function bundled(): string | undefined {
  const { platform, arch } = process;
  const program = platform === 'win32' ? 'claude.exe' : 'claude';
  return ['', '-musl']
    .flatMap((kind) => packageFolder(`${sdk}-${platform}-${arch}${kind}`))
    .map((folder) => join(folder, program))
    .find(canRun);
}

function packageFolder(name: string): string[] {
  try {
    return [dirname(require.resolve(`${name}/package.json`))];
  } catch {
    return [];
  }
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
