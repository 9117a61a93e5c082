import type { EntryDraft, StoredEntry } from '../../journal/entries/stored-entry.ts';
import { changeApproval } from './approval-table.ts';
import { changeKeyValue } from './key-value-table.ts';
import { type Dialect, type Operation, type Statement, change, execute } from './table-database.ts';
import { changeToken } from './token-table.ts';

/** The writes to other tables that an entry can come with. */
type SideWrites = Record<Exclude<keyof EntryDraft, keyof StoredEntry>, unknown>;

/** Returns whether an entry comes with other writes. The type makes the compiler report a new kind that is missing here. */
export function hasSideWrites({ claim, settle, approval, recording, token, keyValue }: EntryDraft): boolean {
  const more: SideWrites = { claim, settle, approval, recording, token, keyValue };
  return (more.claim ?? more.settle ?? more.approval ?? more.recording ?? more.token ?? more.keyValue) !== undefined;
}

/** Applies the side writes of an entry in its transaction. Returns false when its key is taken or a change is refused. */
export function* applySideWrites(draft: EntryDraft, dialect: Dialect): Operation<boolean> {
  const { claim, settle, approval, recording, token, keyValue, call } = draft;
  if (claim !== undefined) {
    const insert = 'INSERT INTO claims (key, call, fingerprint) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
    const [isNew] = yield* execute(change(insert, [claim.key, call, claim.fingerprint]));
    if (!isNew) return false;
  }
  const isRefused =
    (approval !== undefined && !(yield* changeApproval(approval, call, dialect))) ||
    (token !== undefined && !(yield* execute(changeToken(token)))[0]) ||
    (keyValue !== undefined && !(yield* execute(changeKeyValue(keyValue)))[0]);
  if (isRefused) {
    if (claim !== undefined) yield* execute(change('DELETE FROM claims WHERE key = ?', [claim.key]));
    return false;
  }
  const rest: Statement[] = [];
  if (recording !== undefined)
    rest.push(change('INSERT INTO recordings VALUES (?, ?) ON CONFLICT DO NOTHING', [call, recording]));
  if (settle !== undefined)
    rest.push(change('UPDATE claims SET outcome = ? WHERE key = ?', [settle.outcome, settle.key]));
  yield* execute(...rest);
  return true;
}
