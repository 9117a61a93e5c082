import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, usageFailure } from '../../cli/fail.ts';
import { createFileOnce, replaceFile } from '../../config/file/atomic-file.ts';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import type { Signalbox } from '../../signalbox.ts';
import { shortPath } from '../data-directory.ts';

/** The admin token, and where it is kept. */
export interface AdminToken {
  readonly value: string;
  readonly keptIn: string;
}

const shortest = 16;

/** The token of SIGNALBOX_TOKEN, or the one kept in the data directory, which is made on first use. */
export function adminToken(data: string, given = process.env['SIGNALBOX_TOKEN']): AdminToken {
  if (given !== undefined && given !== '') {
    if (given.length < shortest)
      throw usageFailure(`SIGNALBOX_TOKEN is shorter than ${shortest} characters`, {
        next: 'set a longer one, as openssl rand -hex 32 makes it',
      });
    return { value: given, keptIn: 'SIGNALBOX_TOKEN' };
  }
  const file = join(data, 'token');
  try {
    return { value: readToken(file) ?? makeToken(file), keptIn: shortPath(file) };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw tokenFileError('the admin token', file, error);
  }
}

function readToken(file: string): string | undefined {
  const value = readTokenFile(file);
  if (value !== undefined && value.length < shortest)
    throw usageFailure(`${shortPath(file)} holds no usable token`, {
      next: `rm ${shortPath(file)}; the next start makes a new one`,
    });
  return value;
}

function makeToken(file: string): string {
  createFileOnce(file, `sbx_${randomBytes(32).toString('base64url')}\n`);
  const value = readToken(file);
  if (value === undefined) throw new Error('it was removed as soon as it was made');
  return value;
}

/** The token in a file, which is closed to others if it was open; `undefined` where there is no file. */
export function readTokenFile(file: string): string | undefined {
  try {
    const value = readFileSync(file, 'utf8').trim();
    // Copied or restored files may have lost it.
    chmodSync(file, 0o600);
    return value;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A token cannot be read or written where it is kept. */
export function tokenFileError(what: string, file: string, error: unknown): Failure {
  return new Failure(1, 'token-unavailable', `${what} cannot be kept in ${shortPath(file)}: ${messageOf(error)}`, {
    next: 'signalbox doctor',
    cause: error,
  });
}

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
    throw tokenFileError('the token for agents', file, error);
  }
}
