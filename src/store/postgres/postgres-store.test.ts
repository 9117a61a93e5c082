import { after } from 'node:test';
import { approvalStoreConformance } from '../../journal/approval-store.conformance.ts';
import { jobStoreConformance } from '../../journal/job-store.conformance.ts';
import { sessionStoreConformance } from '../../journal/session-store.conformance.ts';
import { type StorePlace, storeConformance } from '../../journal/store.conformance.ts';
import { tokenStoreConformance } from '../../journal/token-store.conformance.ts';
import { startPostgres } from '../../../test/support/postgres.ts';
import { postgresStore } from './postgres-store.ts';

const cluster = await startPostgres();
after(() => cluster.end());
let places = 0;

/** A schema of its own. */
const inSchema = async (): Promise<StorePlace> => {
  const address = cluster.address(`place_${(places += 1)}`);
  return { open: () => postgresStore({ address }), dispose: async () => undefined };
};
for (const suite of [
  storeConformance,
  approvalStoreConformance,
  sessionStoreConformance,
  tokenStoreConformance,
  jobStoreConformance,
])
  suite('postgres', true, inSchema);
