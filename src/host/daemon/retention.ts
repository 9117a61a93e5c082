import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Configuration } from '../../config/configuration.ts';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import type { HostLog } from '../host-log.ts';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/**
 * Prunes the journal periodically, as configured in `retention`. Servers of one store check at random times, and skip a check
 * while another server prunes. Returns a function that stops this and aborts a running prune, which the next server repeats.
 */
export function startRetention(
  box: Pick<InternalSignalbox, 'journal'>,
  settings: () => Configuration['retention'],
  log: Pick<HostLog, 'warn'>,
  intervalMs = hourMs,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let timer: NodeJS.Timeout;
  let pruning = Promise.resolve();
  const prune = async (): Promise<void> => {
    try {
      await pruneDue(box, settings(), signal);
    } catch (error) {
      const isOtherServer = error instanceof SignalboxError && error.code === 'journal-pruned';
      if (!isOtherServer && !signal.aborted) log.warn(`the journal was not pruned: ${messageOf(error)}`);
    }
    schedule();
  };
  const schedule = (): void => {
    if (signal.aborted) return;
    timer = setTimeout(() => void (pruning = prune()), intervalMs * (0.5 + Math.random()));
    timer.unref();
  };
  schedule();
  return () => {
    clearTimeout(timer);
    stopping.abort();
    return pruning;
  };
}

/** Prunes once the oldest entry is a day overdue, so that at most one archive is written a day. */
async function pruneDue(
  box: Pick<InternalSignalbox, 'journal'>,
  settings: Configuration['retention'],
  signal: AbortSignal,
): Promise<void> {
  if (settings === undefined) return;
  const { journalMs, exportTo } = settings;
  const before = Date.now() - journalMs;
  const { items } = await box.journal.query({ order: 'oldest-first', limit: 1 });
  const [oldest] = items;
  if (oldest === undefined || Date.parse(oldest.at) > before - Math.min(dayMs, journalMs / 10)) return;
  mkdirSync(exportTo, { recursive: true, mode: 0o700 });
  const upTo = new Date(before).toISOString().slice(0, 19).replaceAll(':', '-');
  const archive = join(
    exportTo,
    `journal-${String(oldest.seq).padStart(12, '0')}-until-${upTo}-${randomBytes(3).toString('hex')}.jsonl.gz`,
  );
  await box.journal.prune({ before, archive, signal });
}
