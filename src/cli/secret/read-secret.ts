import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { environment } from '../../host/environment.ts';
import { minSecretLength } from '../../redaction/redactor.ts';
import { Failure, usageFailure } from '../fail.ts';
import type { Terminal } from '../terminal.ts';

/** The value of a secret: from a variable, typed unseen at a terminal, or from standard input without its last line break. */
export async function readSecret(name: string, variable: string | undefined, terminal: Terminal): Promise<string> {
  const value = variable === undefined ? await ask(name, terminal) : fromVariable(variable);
  if (value.length < minSecretLength)
    throw usageFailure(
      `a secret has at least ${minSecretLength} characters, or it could not be redacted from the record`,
    );
  return value;
}

function fromVariable(variable: string): string {
  const value = environment[variable] ?? '';
  if (value === '') throw usageFailure(`the environment variable ${variable} is not set`);
  return value;
}

async function ask(name: string, { input, errors, canAsk }: Terminal): Promise<string> {
  if (!canAsk) {
    // What stood before it on a terminal without error output would be seen.
    if (input.isTTY === true)
      throw usageFailure('nobody can be asked here', { next: `pipe it: … | signalbox secret set ${name}` });
    return decoded(await buffer(input)).replace(/\r?\n$/, '');
  }
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: unseen, terminal: true, historySize: 0 });
  const ended = new Promise<undefined>((resolve) => {
    lines.once('close', () => resolve(undefined));
    lines.once('SIGINT', () => lines.close());
  });
  try {
    await errors.print(`Value of ${name} (not shown): `);
    const value = await Promise.race([lines.question(''), ended]);
    await errors.print('\n');
    if (value === undefined) throw new Failure(1, 'cancelled', 'nothing was kept');
    return value;
  } finally {
    lines.close();
  }
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw usageFailure('standard input is not valid UTF-8', {
      next: 'encode it first, as in base64',
      cause: error,
    });
  }
}
