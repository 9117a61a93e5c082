import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';

/** A subscription to changes. */
export interface ChangeSubscription {
  /** Settles with the first attempt. */
  readonly ready: Promise<void>;
  readonly stop: () => Promise<void>;
}

/** The changes to subscribe to. */
export type ChangeFilter = Parameters<Client['listen']>[0];

/** Subscribes to changes with `subscriptions/listen` of the 2026 revision, and again whenever the server ends the stream, until stopped. */
export function subscribeToChanges(
  client: () => Promise<Client>,
  filter: ChangeFilter,
  isClosed: () => boolean,
): ChangeSubscription {
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  const stopped = new AbortController();
  let current: Awaited<ReturnType<Client['listen']>> | undefined;
  const run = async (): Promise<void> => {
    for (let pause = 1000; !isClosed() && !stopped.signal.aborted; pause = Math.min(pause * 2, 30_000)) {
      try {
        current = await (await client()).listen(filter);
        resolve();
        if (stopped.signal.aborted) await current.close();
        if ((await current.closed) === 'local') return;
      } catch (error) {
        reject(error);
      }
      await wait(pause, undefined, { ref: false, signal: stopped.signal }).catch(() => undefined);
    }
  };
  void run();
  return {
    ready,
    async stop() {
      stopped.abort();
      await current?.close();
    },
  };
}

/** Returns the filter for the lists whose changes the server announces. */
export function listFilter(capabilities: JsonObject): ChangeFilter | undefined {
  const announced = (['tools', 'resources', 'prompts'] as const).filter((list) => {
    const capability = capabilities[list];
    return isJsonObject(capability) && capability['listChanged'] === true;
  });
  const filter = Object.fromEntries(announced.map((list) => [`${list}ListChanged`, true]));
  return announced.length === 0 ? undefined : filter;
}
