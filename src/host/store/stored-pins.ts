import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Pins } from '../../catalog/pins/pins.ts';
import type { Configuration } from '../../config/configuration.ts';
import { accountForAuthority } from '../../journal/integrity/authority-records.ts';
import type { Store } from '../../journal/store/store.ts';
import { pinStorage } from '../../pipeline/recording/pin-storage.ts';
import { isPostgresAddress } from '../../store/postgres/address.ts';
import { sqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { openStore, resolveStoreAddress } from './open-store.ts';

/** Returns the scope of the pins of a configuration, which distinguishes servers of the same name in two configurations. */
export function pinScope({ file }: Pick<Configuration, 'file'>): string {
  return file;
}

/** Returns an in-memory store with the pins of a configuration, for commands that compare servers and write nothing. */
export async function memoryStoreWithPins(configuration: Configuration, data: string): Promise<Store> {
  const memory = sqliteStore();
  const scope = pinScope(configuration);
  try {
    if (await hasRecords(configuration.store, data)) {
      const { store } = await openStore(configuration.store, data);
      try {
        for (const [server, text] of await pinStorage(store, scope).list())
          await pinStorage(memory, scope).put(server, text);
      } finally {
        await store.close();
      }
    }
  } catch {
    // Without its pins, a server is not compared; `doctor` reports why they cannot be read.
  }
  return memory;
}

/** Stores the pins of servers that a command without a store saw first and showed to a person. Existing pins stay. */
export async function storeFirstPins(
  configuration: Configuration,
  data: string,
  firstSeen: ReadonlyMap<string, string>,
): Promise<void> {
  if (firstSeen.size === 0) return;
  const { store } = await openStore(configuration.store, data);
  try {
    await accountForAuthority(store);
    for (const [server, text] of firstSeen) await pinStorage(store, pinScope(configuration)).add(server, text);
  } finally {
    await store.close();
  }
}

/** Opens the stored pins of a configuration, passes them to `work`, and closes them. */
export async function withPins<Value>(
  configuration: Configuration,
  data: string,
  work: (pins: Pins) => Promise<Value>,
): Promise<Value> {
  const { store } = await openStore(configuration.store, data);
  try {
    await accountForAuthority(store);
    const pins = await Pins.open(pinStorage(store, pinScope(configuration)));
    try {
      return await work(pins);
    } finally {
      await pins.close();
    }
  } finally {
    await store.close();
  }
}

/** Returns whether the store exists. It must not be created for reading. */
async function hasRecords(store: string, data: string): Promise<boolean> {
  return isPostgresAddress(await resolveStoreAddress(store, data)) || existsSync(join(data, 'signalbox.db'));
}
