import { AcceptedChanges } from '../../config/lock/accepted-changes.ts';
import { isPostgresAddress } from '../../store/postgres/address.ts';
import { sqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { openStore, resolveStoreAddress } from '../../host/store/open-store.ts';

/** Does something with what was accepted on all machines that share these records; where nobody does, the file alone counts. */
export async function withAccepted<Value>(
  { store, data }: { readonly store: string; readonly data: string },
  work: (accepted: AcceptedChanges) => Promise<Value>,
): Promise<Value> {
  const opened = isPostgresAddress(await resolveStoreAddress(store, data))
    ? (await openStore(store, data)).store
    : sqliteStore();
  try {
    const accepted = new AcceptedChanges(opened);
    await accepted.load();
    return await work(accepted);
  } finally {
    await opened.close();
  }
}
