import { AccessTokens } from '../access/access-tokens.ts';
import type { Approval } from '../core/calls/approval.ts';
import { SignalboxError } from '../core/errors.ts';
import { journalFile, shortPath } from '../host/data-directory.ts';
import { loadHost } from '../host/load-host.ts';
import { configuredStore, openStore } from '../host/store/open-store.ts';
import { Journal } from '../journal/journal.ts';
import { JournalReader } from '../journal/queries/journal-reader.ts';
import type { JobStore } from '../journal/store/job-store.ts';
import type { SessionStore } from '../journal/store/session-store.ts';
import { Approvals } from '../pipeline/approvals/approvals.ts';
import { createRedactor } from '../redaction/redactor.ts';
import type { InternalSignalbox } from '../signalbox/internal-signalbox.ts';
import { withConfigurationOfServer } from './client/connect-to-server.ts';
import { CliError, usageError } from './cli-error.ts';
import type { GlobalOptions } from './command-context.ts';
import { existsSync } from 'node:fs';

/** Opens a box without servers, passes it to `use`, and closes it. Creates missing records only with `canCreate`. */
export async function withRecords<Result>(
  options: GlobalOptions,
  use: (box: InternalSignalbox) => Promise<Result>,
  { canCreate = false }: { readonly canCreate?: boolean } = {},
): Promise<Result> {
  const globals = withConfigurationOfServer(options);
  if (!canCreate) await assertJournal(globals);
  const { openBox, readConfiguration } = await loadHost();
  const { configuration } = readConfiguration(globals);
  const box = await openBox({ ...configuration, servers: [] }, { data: globals.data, secretsFrom: globals.data });
  try {
    return await use(box);
  } finally {
    await box.close();
  }
}

/** Read-only access to the records. */
export interface ReadRecords {
  readonly approvals: Pick<Approvals, 'list' | 'page' | 'get' | 'rules' | 'followCallers'>;
  readonly journal: JournalReader;
  readonly sessions: Pick<SessionStore, 'count' | 'select'>;
  readonly tokens: Pick<AccessTokens, 'list'>;
  readonly jobs: Pick<JobStore, 'list'>;
}

/**
 * Opens the records read-only, passes them to `read`, and closes them. Opening a box instead would write to the journal, for example the
 * outcome of calls whose process died.
 */
export async function withReadRecords<Result>(
  options: GlobalOptions,
  read: (records: ReadRecords) => Promise<Result>,
): Promise<Result> {
  const globals = withConfigurationOfServer(options);
  const { store } = await openStore(await assertJournal(globals), globals.data);
  const journal = new Journal(store);
  const redactor = createRedactor();
  try {
    return await read({
      approvals: new Approvals(store, journal, redactor),
      journal: new JournalReader(store, journal),
      sessions: store.sessions,
      tokens: new AccessTokens(store.tokens, journal, redactor),
      jobs: store.jobs,
    });
  } finally {
    await journal.drain();
    await store.close();
  }
}

/** Returns the approval with this id, or the only one whose id has this prefix. Pending approvals take precedence. */
export async function findApproval(box: InternalSignalbox, prefix: string): Promise<Approval> {
  // A complete id needs no list, which has a limit.
  if (/^appr_\w{26}$/.test(prefix)) return box.approvals.get(prefix);
  const all = await box.approvals.list({ all: true, limit: 10_000 });
  const open = all.filter(({ state }) => state === 'pending');
  return findByIdPrefix(open, prefix, 'appr_') ?? findByIdPrefix(all, prefix, 'appr_') ?? unknownApproval(prefix);
}

/** Shorter prefixes are likely typing errors or empty shell variables. */
const minIdCharacters = 4;

/**
 * Returns the item with this id, or the only one whose id has this prefix. `prefix` may omit the type of the id, such as `appr_`.
 * Throws a usage error when the prefix is too short or matches several ids.
 */
export function findByIdPrefix<Item extends { readonly id: string }>(
  items: readonly Item[],
  prefix: string,
  type: string,
): Item | undefined {
  const start = prefix.startsWith(type) ? prefix : type + prefix;
  if (start.length < type.length + minIdCharacters)
    throw usageError(
      `the id ${JSON.stringify(prefix)} is too short`,
      `give at least ${minIdCharacters} characters of the id`,
    );
  const found = items.filter(({ id }) => id.startsWith(start));
  if (found.length > 1 && !found.some(({ id }) => id === start)) {
    const lines = found.slice(0, 10).map(({ id }) => id);
    throw usageError(`${found.length} ids begin with ${JSON.stringify(prefix)}`, 'give more characters of the id', {
      lines,
    });
  }
  return found.find(({ id }) => id === start) ?? found[0];
}

function unknownApproval(prefix: string): never {
  throw new SignalboxError('approval-unknown', `no approval id begins with ${JSON.stringify(prefix)}`);
}

/**
 * Returns the address of the configured store. Throws `journal-missing` when the SQLite file does not exist, because opening it would
 * create it.
 */
export async function assertJournal(globals: GlobalOptions): Promise<string> {
  const store = await configuredStore(globals);
  const file = journalFile(globals);
  if (store !== 'sqlite' || existsSync(file)) return store;
  throw new CliError(1, 'journal-missing', `no journal at ${shortPath(file)} yet`, {
    data: { file },
    next: 'run signalbox serve or signalbox call first, or name another data directory with --data',
  });
}

/** Opens the journal read-only, passes it to `read`, and closes it. Starts no servers and creates no journal. */
export async function withJournal<Result>(
  options: GlobalOptions,
  read: (journal: JournalReader) => Promise<Result>,
): Promise<Result> {
  return await withReadRecords(options, ({ journal }) => read(journal));
}
