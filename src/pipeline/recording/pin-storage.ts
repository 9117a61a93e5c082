import type { PinStorage } from '../../catalog/pins/pins.ts';
import { pinKind } from '../../journal/integrity/authority-records.ts';
import { neverExpires } from '../../journal/store/key-value-store.ts';
import type { Store } from '../../journal/store/store.ts';

const topic = 'pins';
const pollMs = 2000;

/**
 * Stores pins in the store. A server of the same name in another scope, such as another configuration on this machine, is a different server.
 * Processes that share a store over the network are one service whose directories may differ, so only the names count there. Pins that were
 * copied from one machine stay in effect until the first of them is replaced.
 */
export function pinStorage({ keyValues, pubSub }: Pick<Store, 'keyValues' | 'pubSub'>, scope = ''): PinStorage {
  const isShared = pubSub.isCrossProcess;
  const kind = isShared ? pinKind : `${pinKind} ${scope}`;
  return {
    ...(isShared ? {} : { pollMs }),
    async list() {
      const stored = isShared
        ? [...(await keyValues.list(`${pinKind} ${scope}`)), ...(await keyValues.list(kind))]
        : await keyValues.list(kind);
      return new Map(stored.map(({ key, text }) => [key, text]));
    },
    add: async (server, text) => (await keyValues.add(kind, server, { text, until: neverExpires })).text,
    async put(server, text) {
      await keyValues.put(kind, server, { text, until: neverExpires });
      await pubSub.publish(topic, server);
    },
    listen(onChange) {
      const stops = [pubSub.subscribe(topic, onChange), pubSub.onGap(onChange)];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
