import { LockError, parseLock, printLock } from '../lock/lock-format.ts';
import type { LockedServer } from '../lock/lock-types.ts';

/** Persistent storage of pins. */
export interface PinStorage {
  /** Returns the text of every pin, by server. */
  list(): Promise<ReadonlyMap<string, string>>;
  /** Stores the first pin of a server. Returns the stored text, which is another one when another process was first. */
  add(server: string, text: string): Promise<string>;
  /** Replaces the pin of a server, and notifies other processes. */
  put(server: string, text: string): Promise<void>;
  /** Calls back when another process may have changed a pin; returns how to stop. */
  listen(onChange: () => void): () => void;
  /** The interval for reading pins again while a definition waits for acceptance. Absent where `listen` reports every change. */
  readonly pollMs?: number;
}

/**
 * The definitions of servers as they were first seen, or accepted since. Kept in memory, so that comparing is synchronous, and in
 * storage, so that they outlive the process.
 */
export class Pins {
  readonly #storage: PinStorage;
  readonly #texts = new Map<string, string>();
  readonly #parsed = new Map<string, LockedServer>();
  /** The servers that this process pinned first. */
  readonly #first = new Map<string, string>();
  readonly #listeners = new Map<string, Set<() => void>>();
  /** The servers that wait for acceptance, and what they say now. */
  readonly #unaccepted = new Map<string, () => LockedServer>();
  readonly #stop: () => void;
  #writes: Promise<unknown> = Promise.resolve();
  #poll: NodeJS.Timeout | undefined;

  /** Reads the stored pins. */
  static async open(storage: PinStorage): Promise<Pins> {
    const pins = new Pins(storage);
    for (const [server, text] of await storage.list()) pins.#texts.set(server, text);
    return pins;
  }

  private constructor(storage: PinStorage) {
    this.#storage = storage;
    this.#stop = storage.listen(() => void this.#read());
  }

  /** Returns the pin of a server; `undefined` when the server was never seen. A pin that cannot be read accepts nothing. */
  get(server: string): LockedServer | undefined {
    const text = this.#texts.get(server);
    if (text === undefined) return undefined;
    let parsed = this.#parsed.get(server);
    if (parsed === undefined) this.#parsed.set(server, (parsed = pinOf(server, text)));
    return parsed;
  }

  /** Pins a server that was never seen. Holds at once; another process that was first wins a moment later. */
  pinFirst(server: string, seen: LockedServer): LockedServer {
    const text = textOf(server, seen);
    this.#texts.set(server, text);
    this.#parsed.set(server, seen);
    this.#first.set(server, text);
    this.#write(async () => {
      const stored = await this.#storage.add(server, text);
      if (stored !== text && this.#texts.get(server) === text) this.#set(server, stored);
    });
    return seen;
  }

  /** Returns the text of every pin that this process was the first to make, by server. */
  firstSeen(): ReadonlyMap<string, string> {
    return this.#first;
  }

  /** Accepts what a server says now. Resolves when that is stored. Does nothing when the server does not differ from its pin. */
  async accept(server: string): Promise<void> {
    const now = this.#unaccepted.get(server);
    if (now !== undefined) await this.replace(server, acceptedPin(this.get(server), now()));
  }

  /** Replaces the pin of a server by accepted definitions. Resolves when they are stored. */
  async replace(server: string, accepted: LockedServer): Promise<void> {
    const text = textOf(server, accepted);
    if (this.#texts.get(server) === text) return;
    await this.#writes;
    await this.#storage.put(server, text);
    this.#set(server, text);
  }

  /** Makes the committed lock of a server its pin, so that what was reviewed still holds when the lock file is gone. */
  adopt(server: string, locked: LockedServer): void {
    const text = textOf(server, locked);
    if (this.#texts.get(server) === text) return;
    this.#texts.set(server, text);
    this.#parsed.set(server, locked);
    this.#write(() => this.#storage.put(server, text));
  }

  /** Calls back when the pin of a server changes; returns how to stop. */
  subscribe(server: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(server) ?? new Set();
    this.#listeners.set(server, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** Notes what a server says that waits for acceptance; only while one does are the pins of other processes polled. */
  compared(server: string, unaccepted: (() => LockedServer) | undefined): void {
    if (unaccepted === undefined) this.#unaccepted.delete(server);
    else this.#unaccepted.set(server, unaccepted);
    const { pollMs } = this.#storage;
    if (this.#unaccepted.size === 0) {
      clearInterval(this.#poll);
      this.#poll = undefined;
    } else if (pollMs !== undefined) this.#poll ??= setInterval(() => void this.#read(), pollMs).unref();
  }

  /** Resolves when everything is stored. */
  async close(): Promise<void> {
    clearInterval(this.#poll);
    this.#stop();
    await this.#writes;
  }

  async #read(): Promise<void> {
    try {
      await this.#writes;
      for (const [server, text] of await this.#storage.list())
        if (this.#texts.get(server) !== text) this.#set(server, text);
    } catch {
      // The store cannot be read now: what was accepted here still holds, and it is read again with the next notice.
    }
  }

  #set(server: string, text: string): void {
    this.#texts.set(server, text);
    this.#parsed.delete(server);
    for (const listener of this.#listeners.get(server) ?? []) listener();
  }

  /** A pin that cannot be stored holds for this process. */
  #write(write: () => Promise<unknown>): void {
    this.#writes = this.#writes.then(write).catch(() => undefined);
  }
}

/** Returns the pin after acceptance. Tools that are gone stay pinned: should they come back changed, that is a change. */
export function acceptedPin(pin: LockedServer | undefined, now: LockedServer): LockedServer {
  return { ...now, tools: new Map([...(pin?.tools ?? []), ...now.tools]) };
}

function textOf(server: string, pin: LockedServer): string {
  return printLock({ servers: new Map([[server, pin]]) });
}

function pinOf(server: string, text: string): LockedServer {
  try {
    return parseLock(text).servers.get(server) ?? { tools: new Map() };
  } catch (error) {
    if (error instanceof LockError) return { tools: new Map() };
    throw error;
  }
}
