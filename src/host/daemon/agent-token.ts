import { join } from 'node:path';
import { replaceFile } from '../../config/file/atomic-file.ts';
import { SignalboxError } from '../../core/errors.ts';
import type { Signalbox } from '../../signalbox.ts';
import { shortPath } from '../../cli/globals.ts';
import { readTokenFile, unkept } from './token-file.ts';

const serve = { id: 'serve', kind: 'system' } as const;

/**
 * The token that agents of this machine connect with, so that none needs the admin token. It is kept in the data directory, and
 * made anew when it is lost, revoked or somebody else's.
 */
export async function agentToken(data: string, tokens: Signalbox['tokens']): Promise<{ readonly keptIn: string }> {
  const file = join(data, 'agent-token');
  try {
    const kept = await tokens.check(readTokenFile(file) ?? '');
    if (kept.state !== 'active' || kept.role !== 'agent') {
      const { token } = await tokens.create({ role: 'agent', name: 'agents of this machine', by: serve });
      replaceFile(file, `${token}\n`, 0o600);
    }
    return { keptIn: shortPath(file) };
  } catch (error) {
    if (error instanceof SignalboxError) throw error;
    throw unkept('the token for agents', file, error);
  }
}
