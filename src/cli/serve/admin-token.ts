import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../model/errors.ts';
import { Failure, usageFailure } from '../fail.ts';
import { shortPath } from '../globals.ts';

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
    return { value: readToken(file) ?? makeToken(data, file), keptIn: shortPath(file) };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      1,
      'token-unavailable',
      `the admin token cannot be kept in ${shortPath(file)}: ${messageOf(error)}`,
      { next: 'signalbox doctor', cause: error },
    );
  }
}

function readToken(file: string): string | undefined {
  let value: string;
  try {
    value = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  if (value.length < shortest)
    throw usageFailure(`${shortPath(file)} holds no usable token`, {
      next: `rm ${shortPath(file)}; the next start makes a new one`,
    });
  // Copied or restored files may have lost it.
  chmodSync(file, 0o600);
  return value;
}

/** Written whole under another name first: two servers that start at once end with the same token. */
function makeToken(data: string, file: string): string {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const value = `sbx_${randomBytes(32).toString('base64url')}`;
  const unfinished = `${file}.${process.pid}.new`;
  writeFileSync(unfinished, `${value}\n`, { mode: 0o600 });
  try {
    linkSync(unfinished, file);
    return value;
  } catch (error) {
    const other = readToken(file);
    if (other === undefined) throw error;
    return other;
  } finally {
    rmSync(unfinished, { force: true });
  }
}
