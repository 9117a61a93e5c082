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
import { Approvals } from '../pipeline/approvals/approval-inbox.ts';
import { createRedactor } from '../redaction/redactor.ts';
import type { InternalSignalbox } from '../signalbox/internal-signalbox.ts';
import { withConfigurationOfServer } from './client/connect-to-server.ts';
import { Failure, usageFailure } from './failure.ts';
import type { GlobalOptions } from './global-options.ts';
import { existsSync } from 'node:fs';

/** Hands a box without servers to `use`, and closes it: answering needs the records alone. Only with `canCreate` they are made where there are none. */
export async function withRecords(
  given: GlobalOptions,
  use: (box: InternalSignalbox) => Promise<void>,
  { canCreate = false }: { readonly canCreate?: boolean } = {},
): Promise<void> {
  const globals = withConfigurationOfServer(given);
  if (!canCreate) await assertJournal(globals);
  const { openBox, readConfiguration } = await loadHost();
  const { configuration } = readConfiguration(globals);
  const box = await openBox({ ...configuration, servers: [] }, { data: globals.data, secretsFrom: globals.data });
  try {
    await use(box);
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

/** Opens the records read-only, passes them to `read`, and closes them. Opening a box instead would write to the journal, for example the outcome of calls whose process died. */
export async function withReadRecords(
  given: GlobalOptions,
  read: (records: ReadRecords) => Promise<void>,
): Promise<void> {
  const globals = withConfigurationOfServer(given);
  const { store } = await openStore(await assertJournal(globals), globals.data);
  const journal = new Journal(store);
  const redactor = createRedactor();
  try {
    await read({
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

/** The approval with this id, or the only one whose id begins so. */
export async function findApproval(box: InternalSignalbox, prefix: string): Promise<Approval> {
  // A whole id is found behind any number of others.
  if (/^appr_\w{26}$/.test(prefix)) return box.approvals.get(prefix);
  const all = await box.approvals.list({ all: true, limit: 10_000 });
  const open = all.filter(({ state }) => state === 'pending');
  return findByIdPrefix(open, prefix, 'appr_') ?? findByIdPrefix(all, prefix, 'appr_') ?? unknown('approval', prefix);
}

/** Fewer characters are too likely a slip, or an empty shell variable. */
const minIdCharacters = 4;

/**
 * Returns the item with this id, or the only one whose id begins so; ids need not be given with their first word. Throws a usage
 * error when the prefix is too short or fits several.
 */
export function findByIdPrefix<Item extends { readonly id: string }>(
  items: readonly Item[],
  prefix: string,
  word: string,
): Item | undefined {
  const start = prefix.startsWith(word) ? prefix : word + prefix;
  if (start.length < word.length + minIdCharacters)
    throw usageFailure(`${JSON.stringify(prefix)} is too short for an id`, {
      next: `give at least ${minIdCharacters} characters of it`,
    });
  const found = items.filter(({ id }) => id.startsWith(start));
  if (found.length > 1 && !found.some(({ id }) => id === start)) {
    throw usageFailure(`${JSON.stringify(prefix)} is the beginning of ${found.length} ids`, {
      lines: found.slice(0, 10).map(({ id }) => id),
      next: 'give more of the id',
    });
  }
  return found.find(({ id }) => id === start) ?? found[0];
}

function unknown(what: string, prefix: string): never {
  throw new SignalboxError('approval-unknown', `no ${what} begins with ${JSON.stringify(prefix)}`);
}

/** Refuses to make a journal where there is none; tells which store it is in. A database tells itself when it is not there. */
export async function assertJournal(globals: GlobalOptions): Promise<string> {
  const store = await configuredStore(globals);
  const file = journalFile(globals);
  if (store !== 'sqlite' || existsSync(file)) return store;
  throw new Failure(1, 'journal-missing', `no journal at ${shortPath(file)} yet`, {
    data: { file },
    next: 'run signalbox serve or signalbox call first, or name another data directory with --data',
  });
}

/** Hands the journal to `read`, and closes it. Starts no servers, and makes no journal where there is none. */
export async function withJournal(
  given: GlobalOptions,
  read: (journal: JournalReader) => Promise<void>,
): Promise<void> {
  const globals = withConfigurationOfServer(given);
  const { store } = await openStore(await assertJournal(globals), globals.data);
  try {
    await read(new JournalReader(store));
  } finally {
    await store.close();
  }
}
