import type { Client } from '@modelcontextprotocol/client';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';

/** A subscription to changes. */
export interface ChangeSubscription {
  /** Settles with the first attempt. */
  readonly ready: Promise<void>;
  stop(): Promise<void>;
}

type Filter = Parameters<Client['listen']>[0];

/** Subscribes to changes with `subscriptions/listen` of the 2026 revision, and again whenever the server ends the stream, until stopped. */
export function listen(client: () => Promise<Client>, filter: Filter, isClosed: () => boolean): ChangeSubscription {
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
      await new Promise((again) => setTimeout(again, pause).unref());
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
export function listFilter(capabilities: JsonObject): Filter | undefined {
  const announces = (list: string): boolean => {
    const capability = capabilities[list];
    return isJsonObject(capability) && capability['listChanged'] === true;
  };
  const filter = {
    ...(announces('tools') ? { toolsListChanged: true } : {}),
    ...(announces('resources') ? { resourcesListChanged: true } : {}),
    ...(announces('prompts') ? { promptsListChanged: true } : {}),
  };
  return Object.keys(filter).length === 0 ? undefined : filter;
}
