import type { PermissionMode } from '../core/calls/permission-mode.ts';
import { SignalboxError } from '../core/errors.ts';
import type { Principal } from '../core/principal.ts';
import { closestMatch } from '../core/text/closest-match.ts';
import type { Agent } from './agent.ts';
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';

const modes: Readonly<Record<PermissionMode, true>> = {
  default: true,
  acceptEdits: true,
  plan: true,
  dontAsk: true,
  bypassPermissions: true,
};
const maxTitleChars = 200;
const maxMessageChars = 1024 * 1024;

/** Returns the absolute path of a directory. Throws `session-invalid` when it does not exist. */
export async function checkDirectory(cwd: string): Promise<string> {
  const directory = resolve(cwd);
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory() === true) return directory;
  const what = found === undefined ? 'does not exist or is not readable' : 'is not a directory';
  throw invalid(`the working directory ${JSON.stringify(directory)} ${what}; name an existing directory`);
}

export function checkMode(mode: string): PermissionMode {
  if (Object.hasOwn(modes, mode)) return mode as PermissionMode;
  const names = Object.keys(modes);
  const near = closestMatch(mode, names);
  const guess = near === undefined ? '' : `; did you mean "${near}"?`;
  throw invalid(`there is no permission mode ${JSON.stringify(mode)}${guess} (modes: ${names.join(', ')})`);
}

export function checkTitle(title: string): string {
  const trimmed = title.trim().toWellFormed();
  if (trimmed !== '' && trimmed.length <= maxTitleChars) return trimmed;
  throw invalid(`a title has 1 to ${maxTitleChars} characters, and this one has ${trimmed.length}`);
}

export function checkMessage(content: string): string {
  if (content.trim() === '') throw invalid('a message needs some text');
  if (content.length > maxMessageChars)
    throw invalid(`a message has at most ${maxMessageChars} characters, and this one has ${content.length}`);
  return content.toWellFormed();
}

function invalid(message: string): SignalboxError {
  return new SignalboxError('session-invalid', message);
}

/**
 * Throws `session-invalid` when an agent chooses a directory outside the default one. Claude Code reads files in its working
 * directory without asking, so the directory decides what can be read. The `model` runtime has no tools that read files.
 */
export async function assertAgentDirectory(
  directory: string,
  defaultDirectory: string,
  { kind }: Principal,
  { name, runtime }: Pick<Agent, 'name' | 'runtime'>,
): Promise<void> {
  if (kind === 'human' || runtime.name === 'model') return;
  const between = relative(await realpath(defaultDirectory), await realpath(directory));
  if (between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between)) return;
  throw new SignalboxError(
    'session-invalid',
    `agents may start "${name}" only inside ${JSON.stringify(defaultDirectory)}, and ${JSON.stringify(directory)} is outside; omit "cwd", or let a human start the session`,
  );
}
