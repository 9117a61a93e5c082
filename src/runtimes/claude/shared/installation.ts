import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { explainStart } from '../../../process/explain-process.ts';
import { minimalEnvironment } from '../../../process/minimal-environment.ts';
import type { ClaudeCodeOptions } from './claude-options.ts';
import { cliEnvironment } from './cli-environment.ts';
import { findExecutable } from './find-executable.ts';

/** The Claude Code that turns would run with. */
export interface Installation {
  readonly program: string;
  readonly version: string;
  /** By what it would sign in, as far as that can be seen without asking it. */
  readonly signedInBy: string | undefined;
}

const longestStartMs = 15_000;
const signIns = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
];

/** Looks at Claude Code as it would be run; `undefined` when there is none. Throws when it cannot be started. */
export async function lookAtInstallation(
  options: Pick<ClaudeCodeOptions, 'executable' | 'env'>,
): Promise<Installation | undefined> {
  const program = options.executable ?? findExecutable();
  if (program === undefined) return undefined;
  const env = minimalEnvironment(cliEnvironment(options.env));
  const { stdout } = await promisify(execFile)(program, ['--version'], { env, timeout: longestStartMs }).catch(
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
  const named = signIns.find((name) => (env[name] ?? '') !== '');
  if (named !== undefined) return named;
  const file = join(env['CLAUDE_CONFIG_DIR'] ?? join(env['HOME'] ?? homedir(), '.claude'), '.credentials.json');
  return existsSync(file) ? file : undefined;
}
