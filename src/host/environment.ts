/*
 * The environment variables that Signalbox reads. All other modules receive the values that they need. A test in test/boundaries
 * lists the few files that pass variables to other programs and threads.
 */
import { homedir } from 'node:os';
import { delimiter } from 'node:path';
import type { ImportMachine } from '../config/import/clients/clients.ts';
import { omitUndefined } from '../core/omit-undefined.ts';
import { isPostgresAddress } from '../store/postgres/address.ts';
import { HostError } from './host-error.ts';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables with names that users choose: in `${env:NAME}`, in `secrets`, and for OpenTelemetry (`OTEL_…`). */
export const environment: Environment = process.env;

/** Returns `SIGNALBOX_TOKEN`, the admin token of this server. */
export function adminTokenVariable(): string | undefined {
  return nonEmpty('SIGNALBOX_TOKEN');
}

/** Returns `SIGNALBOX_JOURNAL_KEY`, the passphrase that machines with one journal share. */
export function journalKeyVariable(): string | undefined {
  return nonEmpty('SIGNALBOX_JOURNAL_KEY');
}

/** Returns `SIGNALBOX_STORE`, which overrides `store` of the configuration. Throws when it is not a valid store. */
export function storeVariable(): string | undefined {
  const store = nonEmpty('SIGNALBOX_STORE');
  if (store === undefined || store === 'sqlite' || isPostgresAddress(store)) return store;
  // The message omits the value, because it may contain a password.
  throw new HostError('usage', 'SIGNALBOX_STORE: expected "sqlite" or a "postgres://…" address', {
    next: 'correct or unset SIGNALBOX_STORE',
  });
}

/** Returns `SIGNALBOX_TRUST`: `all`, or the directories whose configurations this process trusts, separated as in `PATH`. */
export function trustVariable(): string {
  return environment['SIGNALBOX_TRUST'] ?? '';
}

const startedBy = 'SIGNALBOX_STARTED_BY';

/** Returns the directories of the configurations that started this process as a server, the outermost first. */
export function startedByDirectories(): string[] {
  return (environment[startedBy] ?? '').split(delimiter).filter((each) => each !== '');
}

/** Returns the variable that passes the chain of configurations to a started program, which may be Signalbox again. */
export function startedByVariable(directory: string): Record<string, string> {
  return { [startedBy]: [...startedByDirectories(), directory].join(delimiter) };
}

/** Returns whether npm started this process as a script. */
export function isNpmScript(): boolean {
  return environment['npm_lifecycle_event'] !== undefined;
}

/** Returns whether `SIGNALBOX_DEBUG` enables stack traces. */
export function isDebug(): boolean {
  return environment['SIGNALBOX_DEBUG'] === '1';
}

/** Describes this machine for the import of servers. `directory` is that of the project. */
export function thisMachine(directory: string): ImportMachine {
  const { platform } = process;
  return { home: homedir(), directory, platform, ...omitUndefined({ applicationData: environment['APPDATA'] }) };
}

function nonEmpty(name: string): string | undefined {
  return environment[name] || undefined;
}
