import { getOrInsert } from '../../core/get-or-insert.ts';
import { LockError, parseLock, printLock } from '../lock/lock-format.ts';
import type { LockedServer } from '../lock/lock-types.ts';

/** Persistent storage of pins. */
export interface PinStorage {
  /** Returns the text of every pin, by server. */
  list(): Promise<ReadonlyMap<string, string>>;
  /** Stores the first pin of a server. Returns the stored text, which differs when another process was first. */
  add(server: string, text: string): Promise<string>;
  /** Replaces the pin of a server, and notifies other processes. */
  put(server: string, text: string): Promise<void>;
  /** Calls the listener when another process may have changed a pin. Returns a function that unsubscribes. */
  listen(onChange: () => void): () => void;
  /** The poll interval for pins while a definition waits for acceptance. Absent where `listen` reports every change. */
  readonly pollMs?: number;
}

/**
 * The definitions of servers as first seen, or as accepted later. Cached in memory so that comparisons are synchronous, and
 * persisted so that they outlive the process.
 */
export class Pins {
  readonly #storage: PinStorage;
  readonly #texts = new Map<string, string>();
  readonly #parsed = new Map<string, LockedServer>();
  /** The servers that this process pinned first. */
  readonly #first = new Map<string, string>();
  readonly #listeners = new Map<string, Set<() => void>>();
  /** The servers that wait for acceptance, with their current definitions. */
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

  /** Returns the pin of a server; `undefined` when the server was never seen. An unreadable pin accepts nothing. */
  get(server: string): LockedServer | undefined {
    const text = this.#texts.get(server);
    if (text === undefined) return undefined;
    return getOrInsert(this.#parsed, server, () => pinOf(server, text));
  }

  /** Pins a new server. Takes effect immediately; if another process pinned it first, that pin replaces this one when the write completes. */
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

  /** Returns the text of every pin that this process created first, by server. */
  firstSeen(): ReadonlyMap<string, string> {
    return this.#first;
  }

  /** Accepts the current definitions of a server. Resolves when they are stored. Does nothing when the server matches its pin. */
  async accept(server: string): Promise<void> {
    const now = this.#unaccepted.get(server);
    if (now !== undefined) await this.replace(server, acceptedPin(this.get(server), now()));
  }

  /** Replaces the pin of a server with accepted definitions. Resolves when they are stored. */
  async replace(server: string, accepted: LockedServer): Promise<void> {
    const text = textOf(server, accepted);
    if (this.#texts.get(server) === text) return;
    await this.#writes;
    await this.#storage.put(server, text);
    this.#set(server, text);
  }

  /** Sets the pin of a server to its committed lock, so that the review stays in effect when the lock file is removed. */
  adopt(server: string, locked: LockedServer): void {
    const text = textOf(server, locked);
    if (this.#texts.get(server) === text) return;
    this.#texts.set(server, text);
    this.#parsed.set(server, locked);
    this.#write(() => this.#storage.put(server, text));
  }

  /** Calls the listener when the pin of a server changes. Returns a function that unsubscribes. */
  subscribe(server: string, listener: () => void): () => void {
    const listeners = getOrInsert(this.#listeners, server, () => new Set());
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  /** Records the definitions of a server that wait for acceptance. Pins of other processes are polled only while there are any. */
  setUnaccepted(server: string, unaccepted: (() => LockedServer) | undefined): void {
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
      // The store is unavailable. The cached pins stay in effect, and the next notification triggers another read.
    }
  }

  #set(server: string, text: string): void {
    this.#texts.set(server, text);
    this.#parsed.delete(server);
    for (const listener of this.#listeners.get(server) ?? []) listener();
  }

  /** Writes a pin. When the write fails, the pin is in effect for this process only. */
  #write(write: () => Promise<unknown>): void {
    this.#writes = this.#writes.then(write).catch(() => undefined);
  }
}

/** Returns the pin after acceptance. Removed tools stay pinned, so that a changed definition is detected when they return. */
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
