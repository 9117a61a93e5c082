import { explainStart } from '../../../process/explain-process.ts';
import { minimalEnvironment } from '../../../process/minimal-environment.ts';
import type { ClaudeCodeOptions } from './claude-options.ts';
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** The installed Claude Code. */
interface Installation {
  readonly program: string;
  readonly version: string;
  /** The environment variable or file with its credentials, if one was found. */
  readonly signedInBy: string | undefined;
}

const maxStartMs = 15_000;
const credentialVariables = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
];

/** Returns the Claude Code that turns would use; `undefined` if none is installed. Rejects when it cannot be started. */
export async function inspectInstallation(
  options: Pick<ClaudeCodeOptions, 'executable' | 'env'>,
): Promise<Installation | undefined> {
  const program = options.executable ?? findExecutable();
  if (program === undefined) return undefined;
  const env = minimalEnvironment(cliEnvironment(options.env));
  const { stdout } = await promisify(execFile)(program, ['--version'], { env, timeout: maxStartMs }).catch(
    (error: NodeJS.ErrnoException) => {
      // A numeric code is the exit code of a program that did run.
      const isStarted = typeof error.code !== 'string';
      throw isStarted ? error : new Error(explainStart({ command: program, env }, error), { cause: error });
    },
  );
  const [version = ''] = stdout.trim().split(' ');
  return { program, version, signedInBy: signInOf(env) };
}

function signInOf(env: Readonly<Record<string, string>>): string | undefined {
  const named = credentialVariables.find((name) => (env[name] ?? '') !== '');
  if (named !== undefined) return named;
  const file = join(env['CLAUDE_CONFIG_DIR'] ?? join(env['HOME'] ?? homedir(), '.claude'), '.credentials.json');
  return existsSync(file) ? file : undefined;
}

const require = createRequire(import.meta.url);
/** The optional package that the runtime `claude` requires. */
export const sdkPackage = '@anthropic-ai/claude-agent-sdk';

/** Returns the path of Claude Code: in the PATH, or bundled with the Claude Agent SDK; `undefined` if neither. */
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
    .flatMap((kind) => packageFolder(`${sdkPackage}-${platform}-${arch}${kind}`))
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

/** The variables of Claude Code, and those of network access. */
const inheritedVariables =
  /^(ANTHROPIC|CLAUDE|XDG)_|^(HTTPS?_PROXY|NO_PROXY|https?_proxy|no_proxy)$|^(NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|IS_SANDBOX|TERM|COLORTERM)$/;

/**
 * Returns the environment of Claude Code: its own variables, and the given ones. The commands of an agent can read it, so it has none of our
 * secrets; with a token of ours, an agent could approve its own calls.
 */
export function cliEnvironment(named: Readonly<Record<string, string>> = {}): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => inheritedVariables.test(name)) as [string, string][];
  // With these variables, Claude Code would believe that it runs inside another Claude Code.
  const inherited = own.filter(([name]) => name !== 'CLAUDECODE' && !name.startsWith('CLAUDE_CODE_ENTRYPOINT'));
  return { ...Object.fromEntries(inherited), ...named };
}

/** Returns whether the Claude Agent SDK is installed, without loading it. */
export function hasSdk(): boolean {
  try {
    require.resolve(sdkPackage);
    return true;
  } catch {
    return false;
  }
}
