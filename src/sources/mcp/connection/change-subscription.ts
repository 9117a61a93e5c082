import type { Client } from '@modelcontextprotocol/client';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';

/** Something that is listened to. */
export interface Listening {
  /** How the first attempt went. */
  readonly ready: Promise<void>;
  stop(): Promise<void>;
}

type Filter = Parameters<Client['listen']>[0];

/** Listens to changes, which the 2026 revision tells only to those who do; again whenever the server ends it, until it is stopped. */
export function listen(client: () => Promise<Client>, filter: Filter, isOver: () => boolean): Listening {
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  const stopping = new AbortController();
  let current: Awaited<ReturnType<Client['listen']>> | undefined;
  const keepListening = async (): Promise<void> => {
    for (let pause = 1000; !isOver() && !stopping.signal.aborted; pause = Math.min(pause * 2, 30_000)) {
      try {
        current = await (await client()).listen(filter);
        resolve();
        if (stopping.signal.aborted) await current.close();
        if ((await current.closed) === 'local') return;
      } catch (error) {
        reject(error);
      }
      await new Promise((again) => setTimeout(again, pause).unref());
    }
  };
  void keepListening();
  return {
    ready,
    async stop() {
      stopping.abort();
      await current?.close();
    },
  };
}

/** The lists of which this server tells changes. */
export function listFilter(capabilities: JsonObject): Filter | undefined {
  const tells = (list: string): boolean => {
    const capability = capabilities[list];
    return isJsonObject(capability) && capability['listChanged'] === true;
  };
  const filter = {
    ...(tells('tools') ? { toolsListChanged: true } : {}),
    ...(tells('resources') ? { resourcesListChanged: true } : {}),
    ...(tells('prompts') ? { promptsListChanged: true } : {}),
  };
  return Object.keys(filter).length === 0 ? undefined : filter;
}
