import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SignalboxError } from '../core/errors.ts';
import { closestMatch } from '../core/text/closest-match.ts';
import type { PermissionMode } from '../core/calls/permission-mode.ts';

const modes: Readonly<Record<PermissionMode, true>> = {
  default: true,
  acceptEdits: true,
  plan: true,
  dontAsk: true,
  bypassPermissions: true,
};
const longestTitle = 200;
const longestMessage = 1024 * 1024;

/** The directory, absolute. It must be there. */
export async function checkDirectory(cwd: string): Promise<string> {
  const directory = resolve(cwd);
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory() === true) return directory;
  const what = found === undefined ? 'is not there (or cannot be seen)' : 'is no directory';
  throw invalid(`the working directory ${JSON.stringify(directory)} ${what}; name one that is`);
}

export function checkMode(mode: string): PermissionMode {
  if (Object.hasOwn(modes, mode)) return mode as PermissionMode;
  const names = Object.keys(modes);
  const near = closestMatch(mode, names);
  const guess = near === undefined ? '' : `; did you mean "${near}"?`;
  throw invalid(`there is no permission mode ${JSON.stringify(mode)}${guess} There are ${names.join(', ')}`);
}

export function checkTitle(title: string): string {
  const trimmed = title.trim().toWellFormed();
  if (trimmed !== '' && trimmed.length <= longestTitle) return trimmed;
  throw invalid(`a title has 1 to ${longestTitle} characters, and this one has ${trimmed.length}`);
}

export function checkMessage(content: string): string {
  if (content.trim() === '') throw invalid('a message needs some text');
  if (content.length > longestMessage)
    throw invalid(`a message has at most ${longestMessage} characters, and this one has ${content.length}`);
  return content.toWellFormed();
}

function invalid(message: string): SignalboxError {
  return new SignalboxError('session-invalid', message);
}
