/** Stores sign-ins. The texts are secret: a store on disk must encrypt them. */
export interface TokenStore {
  load(key: string): Promise<string | undefined>;
  /** Stores a text, or deletes it when `undefined`. */
  save(key: string, text: string | undefined): Promise<void>;
  /** Runs work under a lock for the key, for a store that several processes share. */
  exclusively?<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

/** Creates a store that lasts as long as the process. */
export function memoryTokenStore(): TokenStore {
  const texts = new Map<string, string>();
  return {
    load: (key) => Promise.resolve(texts.get(key)),
    save(key, text) {
      if (text === undefined) texts.delete(key);
      else texts.set(key, text);
      return Promise.resolve();
    },
  };
}

/** The store of `signIn` and of servers that are configured without one. */
export const processTokenStore = memoryTokenStore();
