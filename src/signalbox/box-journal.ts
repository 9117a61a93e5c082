import { callOfResult } from '../core/calls/result-uri.ts';
import { SignalboxError } from '../core/errors.ts';
import { recordedName } from '../journal/entries/recorded-name.ts';
import type { Journal } from '../journal/journal.ts';
import type { PruneRequest, Pruned } from '../journal/pruning/prune-journal.ts';
import { JournalReader } from '../journal/queries/journal-reader.ts';
import type { ResultPage, Store } from '../journal/store/store.ts';
import { type CallSettlement, settleCall } from '../pipeline/recording/settle-call.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { JournalApi } from './signalbox.ts';

/** The journal of an open box: reads it, prunes it, and settles calls whose outcome is unknown. */
export class BoxJournal extends JournalReader implements JournalApi {
  readonly #parts: { readonly store: Store; readonly journal: Journal; readonly redactor: Redactor };

  constructor(store: Store, journal: Journal, redactor: Redactor) {
    super(store, journal, (name) => recordedName(redactor, name));
    this.#parts = { store, journal, redactor };
  }

  async prune(request: PruneRequest): Promise<Pruned> {
    const { pruneJournal } = await import('../journal/pruning/prune-journal.ts');
    return await pruneJournal(this.#parts.store, request);
  }

  async settle(call: string, how: CallSettlement): Promise<void> {
    await settleCall(this.#parts, call, how);
  }

  async result(uri: string, { offset = 0, limit = 8000 } = {}): Promise<ResultPage> {
    const page = await this.#parts.store.readResult(callOfResult(uri), offset, limit);
    if (page === undefined) throw new SignalboxError('result-unknown', `no stored result ${uri}`);
    return page;
  }
}
