import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createFileOnce, replaceFile } from '../../config/file/atomic-file.ts';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import { shortPath } from '../data-directory.ts';
import { adminTokenVariable } from '../environment.ts';
import { HostError } from '../host-error.ts';

/** The admin token and its location: a path, or `SIGNALBOX_TOKEN`. */
export interface AdminToken {
  readonly value: string;
  readonly location: string;
}

const minTokenLength = 16;

/** Returns the token of SIGNALBOX_TOKEN, or the one in the data directory, which is created on first use. */
export function adminToken(data: string, variable = adminTokenVariable()): AdminToken {
  if (variable !== undefined && variable !== '') {
    if (variable.length < minTokenLength)
      throw new HostError('usage', `SIGNALBOX_TOKEN is shorter than ${minTokenLength} characters`, {
        next: 'set a longer one, for instance with openssl rand -hex 32',
      });
    return { value: variable, location: 'SIGNALBOX_TOKEN' };
  }
  const file = join(data, 'token');
  try {
    return { value: readAdminToken(file) ?? createAdminToken(file), location: shortPath(file) };
  } catch (error) {
    if (error instanceof HostError) throw error;
    throw tokenFileError('the admin token', file, error);
  }
}

function readAdminToken(file: string): string | undefined {
  const value = readTokenFile(file);
  if (value !== undefined && value.length < minTokenLength)
    throw new HostError('usage', `${shortPath(file)} does not contain a valid token`, {
      next: `rm ${shortPath(file)}; the next start creates a new one`,
    });
  return value;
}

function createAdminToken(file: string): string {
  createFileOnce(file, `sbx_${randomBytes(32).toString('base64url')}\n`);
  const value = readAdminToken(file);
  if (value === undefined) throw new Error('the file was removed right after it was created');
  return value;
}

const host = { id: 'serve', kind: 'system' } as const;

/**
 * Creates the token for agents of this machine, so that they do not need the admin token, unless the data directory has a valid one.
 * Returns its location.
 */
export async function agentToken(data: string, tokens: InternalSignalbox['tokens']): Promise<string> {
  const file = join(data, 'agent-token');
  try {
    const stored = await tokens.check(readTokenFile(file) ?? '');
    if (stored.state !== 'active' || stored.role !== 'agent') {
      const { token } = await tokens.create({ role: 'agent', name: 'agents of this machine', by: host });
      replaceFile(file, `${token}\n`, 0o600);
    }
    return shortPath(file);
  } catch (error) {
    if (error instanceof SignalboxError) throw error;
    throw tokenFileError('the token for agents', file, error);
  }
}

/** Reads a token file and makes it private. Returns `undefined` when there is no file. */
function readTokenFile(file: string): string | undefined {
  try {
    const value = readFileSync(file, 'utf8').trim();
    // Copied or restored files may have other permissions.
    chmodSync(file, 0o600);
    return value;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function tokenFileError(what: string, file: string, error: unknown): HostError {
  return new HostError('token-unavailable', `${what} cannot be stored in ${shortPath(file)}: ${messageOf(error)}`, {
    next: 'signalbox doctor',
    cause: error,
  });
}
