/** Where sign-ins are kept. What is given to it is secret: a store on disk must encrypt it. */
export interface TokenStore {
  load(key: string): Promise<string | undefined>;
  /** Without a text: forgets it. */
  save(key: string, text: string | undefined): Promise<void>;
  /** Does something while no other process does it for the same key; for a store that several processes share. */
  exclusively?<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

/** Keeps sign-ins as long as the process lives. */
export function memoryTokenStore(): TokenStore {
  const kept = new Map<string, string>();
  return {
    load: (key) => Promise.resolve(kept.get(key)),
    save(key, text) {
      if (text === undefined) kept.delete(key);
      else kept.set(key, text);
      return Promise.resolve();
    },
  };
}

/** What `signIn` and the servers of this process share when they are given no store. */
export const processTokenStore = memoryTokenStore();
