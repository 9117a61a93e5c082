import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createOnce } from '../../config/file/atomic-file.ts';
import { Failure, usageFailure } from '../../cli/fail.ts';
import { shortPath } from '../../cli/globals.ts';
import { readTokenFile, unkept } from './token-file.ts';

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
    throw unkept('the admin token', file, error);
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
  createOnce(file, `sbx_${randomBytes(32).toString('base64url')}\n`);
  const value = readToken(file);
  if (value === undefined) throw new Error('it was removed as soon as it was made');
  return value;
}
