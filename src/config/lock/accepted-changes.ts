import { hashOf } from '../../catalog/lock/canonical-json.ts';
import { parseLock, printLock } from '../../catalog/lock/lock-format.ts';
import type { Lock, LockedServer } from '../../catalog/lock/lock-types.ts';
import { neverExpires } from '../../journal/store/key-value-store.ts';
import type { Store } from '../../journal/store/store.ts';
import { writeLock } from './lock-file.ts';
import { setLockedServer } from './lock-status.ts';

const kind = 'lock';
const topic = 'lock';
const maxFingerprints = 50;

/** An accepted change of a server. */
interface Accepted {
  /** The hashes of the lock files that the change applies to. A lock file with a different hash was changed later. */
  readonly before: readonly string[];
  /** A lock with only this server; `null` when it was removed. */
  readonly lock: string | null;
}

/**
 * The lock changes that were accepted on any machine of a shared store, whose lock files may be older or read-only. A change
 * applies to the lock file that it was made for. A lock file that was changed later, for example by a release, takes precedence.
 */
export class AcceptedChanges {
  readonly #shared: Pick<Store, 'keyValues' | 'pubSub'>;
  #changes = new Map<string, Accepted>();

  constructor(shared: Pick<Store, 'keyValues' | 'pubSub'>) {
    this.#shared = shared;
  }

  /** Whether other processes share the store. */
  get isShared(): boolean {
    return this.#shared.pubSub.isCrossProcess;
  }

  /** Reads the accepted changes of all machines. */
  async load(): Promise<void> {
    if (!this.isShared) return;
    const stored = await this.#shared.keyValues.list(kind);
    this.#changes = new Map(stored.map(({ key, text }) => [key, JSON.parse(text) as Accepted]));
  }

  /** Returns the lock file with the accepted changes. */
  over(file: Lock | undefined): Lock | undefined {
    let lock = file;
    for (const [server, { before, lock: accepted }] of this.#changes) {
      if (!before.includes(fingerprint(server, file))) continue;
      lock = setLockedServer(lock, server, accepted === null ? undefined : parseLock(accepted).servers.get(server));
    }
    return lock;
  }

  /** Accepts the definitions of a server on all machines. `file` is the lock file that the change applies to. */
  async accept(server: string, file: Lock | undefined, accepted: LockedServer | undefined): Promise<void> {
    if (!this.isShared) return;
    await this.load();
    const last = this.#changes.get(server);
    const before = new Set([
      ...(last === undefined ? [] : [...last.before, fingerprintOf(last.lock)]),
      fingerprint(server, file),
    ]);
    const lock = accepted === undefined ? null : printLock({ servers: new Map([[server, accepted]]) });
    const change: Accepted = { before: [...before].slice(-maxFingerprints), lock };
    await this.#shared.keyValues.put(kind, server, { text: JSON.stringify(change), until: neverExpires });
    this.#changes.set(server, change);
    await this.#shared.pubSub.publish(topic, server);
  }

  /** Writes the lock file. With a shared store, a failure is ignored, because files in a container are often read-only. */
  writeFile(directory: string, lock: Lock): void {
    try {
      writeLock(directory, lock);
    } catch (error) {
      if (!this.isShared) throw error;
    }
  }

  /** Calls the listener when another machine may have accepted a change. Returns a function that unsubscribes. */
  listen(onChange: () => void): () => void {
    const stops = [this.#shared.pubSub.subscribe(topic, onChange), this.#shared.pubSub.onGap(onChange)];
    return () => {
      for (const stop of stops) stop();
    };
  }
}

function fingerprint(server: string, lock: Lock | undefined): string {
  const locked = lock?.servers.get(server);
  return fingerprintOf(locked === undefined ? null : printLock({ servers: new Map([[server, locked]]) }));
}

function fingerprintOf(text: string | null): string {
  return text === null ? 'not locked' : hashOf(text);
}
