import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { SignalboxError } from '../core/errors.ts';
import type { Principal } from '../core/principal.ts';
import type { Agent } from './agent.ts';

/**
 * Refuses agents another directory than those inside the usual one. What Claude Code reads where it works is asked about by
 * default nowhere: whoever chooses the place chooses what can be read. Models have no tools of their own that read there.
 */
export async function assertPlace(
  directory: string,
  usual: string,
  { kind }: Principal,
  { name, runtime }: Pick<Agent, 'name' | 'runtime'>,
): Promise<void> {
  if (kind === 'human' || runtime.name === 'model') return;
  const between = relative(await realpath(usual), await realpath(directory));
  if (between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between)) return;
  throw new SignalboxError(
    'session-invalid',
    `"${name}" works in ${JSON.stringify(usual)} for other agents, and ${JSON.stringify(directory)} is outside; leave "cwd" out, or have a human begin the session`,
  );
}
