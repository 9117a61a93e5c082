import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { printable } from '../../cli/printable.ts';
import type { Printer } from '../../cli/terminal.ts';
import type { Configuration } from '../../config/configuration.ts';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import type { Signalbox } from '../../signalbox.ts';

const hour = 60 * 60 * 1000;
const day = 24 * hour;

/**
 * Prunes the journal as the configuration says, now and then. With many servers on one store each looks at a time of its own,
 * and whoever finds another at it leaves it alone. Ends when the answer is called; what is under way is broken off and comes again.
 */
export function startRetention(
  box: Pick<Signalbox, 'journal' | 'prune'>,
  settings: () => Configuration['retention'],
  errors: Printer,
  everyMs = hour,
): () => Promise<void> {
  const ended = new AbortController();
  const { signal } = ended;
  let timer: NodeJS.Timeout;
  let looking = Promise.resolve();
  const look = async (): Promise<void> => {
    try {
      await pruneDue(box, settings(), signal);
    } catch (error) {
      const isAnother = error instanceof SignalboxError && error.code === 'journal-pruned';
      if (!isAnother && !signal.aborted)
        await errors.print(
          `${errors.colors.yellow('warning')}: the journal was not pruned: ${printable(messageOf(error))}\n`,
        );
    }
    plan();
  };
  const plan = (): void => {
    if (signal.aborted) return;
    timer = setTimeout(() => void (looking = look()), everyMs * (0.5 + Math.random()));
    timer.unref();
  };
  plan();
  return () => {
    clearTimeout(timer);
    ended.abort();
    return looking;
  };
}

/** A file a day at most: what is due is let gather for a while. */
async function pruneDue(
  box: Pick<Signalbox, 'journal' | 'prune'>,
  settings: Configuration['retention'],
  signal: AbortSignal,
): Promise<void> {
  if (settings === undefined) return;
  const { journalMs, exportTo } = settings;
  const before = Date.now() - journalMs;
  const { items } = await box.journal.entries({ order: 'oldest-first', limit: 1 });
  const [oldest] = items;
  if (oldest === undefined || Date.parse(oldest.at) > before - Math.min(day, journalMs / 10)) return;
  mkdirSync(exportTo, { recursive: true, mode: 0o700 });
  const upTo = new Date(before).toISOString().slice(0, 19).replaceAll(':', '-');
  const archive = join(
    exportTo,
    `journal-${String(oldest.seq).padStart(12, '0')}-until-${upTo}-${randomBytes(3).toString('hex')}.jsonl.gz`,
  );
  await box.prune({ before, archive, signal });
}
