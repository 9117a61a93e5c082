import { hashOf } from '../../catalog/lock/canonical-json.ts';
import type { Lock, LockedServer } from '../../catalog/lock/lock.ts';
import { parseLock, printLock } from '../../catalog/lock/lock-format.ts';
import { neverExpires } from '../../journal/store/key-value-store.ts';
import type { Store } from '../../journal/store/store.ts';
import { writeLock } from './lock-file.ts';
import { setLockedServer } from './lock-status.ts';

const kind = 'lock';
const topic = 'lock';
const mostBefore = 50;

/** What was accepted of a server, and over what. */
interface Accepted {
  /** What the lock file of the server may say: hashes of it. If it says something else, somebody has changed it since. */
  readonly before: readonly string[];
  /** A lock of this server alone; `null` when it was taken out. */
  readonly lock: string | null;
}

/**
 * What was accepted on one machine, for all others that share its records: their lock files may be older, or cannot be written.
 * Each is a change of what the file said; a file that was changed since, for instance with a new release, comes first.
 */
export class AcceptedChanges {
  readonly #shared: Pick<Store, 'keyValues' | 'pubSub'>;
  #changes = new Map<string, Accepted>();

  constructor(shared: Pick<Store, 'keyValues' | 'pubSub'>) {
    this.#shared = shared;
  }

  /** Whether there can be other machines. */
  get isShared(): boolean {
    return this.#shared.pubSub.isCrossProcess;
  }

  /** Looks at what all have accepted. */
  async load(): Promise<void> {
    if (!this.isShared) return;
    const kept = await this.#shared.keyValues.list(kind);
    this.#changes = new Map(kept.map(({ key, text }) => [key, JSON.parse(text) as Accepted]));
  }

  /** The lock with what was accepted over it. */
  over(file: Lock | undefined): Lock | undefined {
    let lock = file;
    for (const [server, { before, lock: accepted }] of this.#changes) {
      if (!before.includes(fingerprint(server, file))) continue;
      lock = setLockedServer(lock, server, accepted === null ? undefined : parseLock(accepted).servers.get(server));
    }
    return lock;
  }

  /** Accepts what a server says now, for all; `file` is the lock file that it is accepted over. */
  async accept(server: string, file: Lock | undefined, accepted: LockedServer | undefined): Promise<void> {
    if (!this.isShared) return;
    await this.load();
    const last = this.#changes.get(server);
    const before = new Set([
      ...(last === undefined ? [] : [...last.before, fingerprintOf(last.lock)]),
      fingerprint(server, file),
    ]);
    const lock = accepted === undefined ? null : printLock({ servers: new Map([[server, accepted]]) });
    const change: Accepted = { before: [...before].slice(-mostBefore), lock };
    await this.#shared.keyValues.put(kind, server, { text: JSON.stringify(change), until: neverExpires });
    this.#changes.set(server, change);
    await this.#shared.pubSub.publish(topic, server);
  }

  /** Writes the lock file, too. It holds all the same where it is kept for all: the files of a container often cannot be written. */
  writeFile(directory: string, lock: Lock): void {
    try {
      writeLock(directory, lock);
    } catch (error) {
      if (!this.isShared) throw error;
    }
  }

  /** Tells when another machine may have accepted something; returns how to stop. */
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
