import { isPostgresAddress } from '../../store/postgres/address.ts';
import { usageFailure } from '../../cli/fail.ts';

/** Where `SIGNALBOX_STORE` says that records are kept, before what the configuration says. */
export function storeFromEnvironment(): string | undefined {
  const store = process.env['SIGNALBOX_STORE'];
  if (store === undefined || store === '') return undefined;
  if (store === 'sqlite' || isPostgresAddress(store)) return store;
  // The value is not repeated: it may hold a password.
  throw usageFailure('SIGNALBOX_STORE: expected "sqlite" or a "postgres://…" address', {
    next: 'correct or unset SIGNALBOX_STORE',
  });
}
