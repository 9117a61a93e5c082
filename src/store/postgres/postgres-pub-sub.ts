import type { PubSub } from '../../journal/store/pub-sub.ts';
import { TopicListeners } from '../local-pub-sub.ts';
import type { PostgresDatabase } from './postgres-database.ts';

/** Messages that are too long for a notification. The table is unlogged, because subscribers do not survive a server restart. */
export const noteSchema = `
CREATE UNLOGGED TABLE notes (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, notes text NOT NULL, at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX notes_at ON notes (at);
`;

const notify = 'SELECT pg_notify($1, $2)';
const notifyOfRow = `WITH stored AS (INSERT INTO notes (notes) VALUES ($2) RETURNING number)
  SELECT pg_notify($1, '#' || number) FROM stored`;
const deleteOld = "DELETE FROM notes WHERE at < now() - $1 * interval '1 millisecond'";

/** PostgreSQL's limit for a notification is just under 8000 bytes. */
const maxNoticeBytes = 7900;

type Note = readonly [topic: string, text: string];

interface PendingNote {
  readonly note: Note;
  readonly bytes: number;
  readonly sent: PromiseWithResolvers<void>;
}

/** Pub/sub over PostgreSQL's LISTEN and NOTIFY. Messages published during a send are batched into the next one. */
export class PostgresPubSub implements PubSub {
  readonly isCrossProcess = true;
  readonly #database: PostgresDatabase;
  readonly #channel: string;
  readonly #listeners = new TopicListeners();
  #pending: PendingNote[] = [];
  #sending: Promise<void> | undefined;
  /** Delivers notifications in order, even when the text of some must be read from the table first. */
  #delivered: Promise<void> | undefined;
  /** The time for which the text of a long message stays in the table. */
  readonly #retentionMs: number;
  #cleanupTimer: NodeJS.Timeout | undefined;

  constructor(database: PostgresDatabase, channel: string, retentionMs = 60_000) {
    this.#database = database;
    this.#channel = channel;
    this.#retentionMs = retentionMs;
  }

  publish(topic: string, text: string): Promise<void> {
    const sent = Promise.withResolvers<void>();
    const note: Note = [topic, text];
    this.#pending.push({ note, bytes: Buffer.byteLength(JSON.stringify(note)) + 2, sent });
    this.#sending ??= this.#sendAll();
    return sent.promise;
  }

  subscribe(topic: string, listener: (text: string) => void): () => void {
    return this.#listeners.subscribe(topic, listener);
  }

  onGap(listener: () => void): () => void {
    return this.#listeners.onGap(listener);
  }

  /** Delivers a notification from the server to the subscribers. */
  receive(notice: string): void {
    const isRow = notice.startsWith('#');
    if (!isRow && this.#delivered === undefined) return this.#deliver(notice);
    const before = this.#delivered ?? Promise.resolve();
    const after = before.then(async () => {
      const notes = isRow ? await this.#read(notice.slice(1)) : notice;
      if (notes === undefined) this.#listeners.notifyGap();
      else this.#deliver(notes);
      if (this.#delivered === after) this.#delivered = undefined;
    });
    this.#delivered = after;
  }

  /** Resolves when all published messages are sent. */
  async drain(): Promise<void> {
    await this.#sending;
    clearTimeout(this.#cleanupTimer);
  }

  /** Called after a reconnect: notifications may have been lost. */
  notifyGap(): void {
    this.#listeners.notifyGap();
  }

  #deliver(notice: string): void {
    let notes: readonly Note[];
    try {
      notes = (JSON.parse(notice) as readonly Note[]).map(([topic, text]) => [topic, text]);
    } catch {
      // Any user of the database can send notifications, so the content may be invalid.
      this.#listeners.notifyGap();
      return;
    }
    for (const [topic, text] of notes) this.#listeners.deliver(topic, text);
  }

  async #read(number: string): Promise<string | undefined> {
    try {
      const sql = 'SELECT notes FROM notes WHERE number = $1::bigint';
      return (await this.#database.rows<{ notes: string }>(sql, [number]))[0]?.notes;
    } catch {
      return undefined;
    }
  }

  async #sendAll(): Promise<void> {
    for (let batch = this.#next(); batch.length > 0; batch = this.#next()) {
      const notes = JSON.stringify(batch.map(({ note }) => note));
      const sql = Buffer.byteLength(notes) > maxNoticeBytes ? notifyOfRow : notify;
      try {
        await this.#database.rows(sql, [this.#channel, notes]);
        if (sql === notifyOfRow) this.#scheduleCleanup();
        for (const { sent } of batch) sent.resolve();
      } catch (error) {
        for (const { sent } of batch) sent.reject(error);
      }
    }
    this.#sending = undefined;
  }

  /** Removes stored messages soon, because they may contain data that must not stay in the database. */
  #scheduleCleanup(): void {
    this.#cleanupTimer ??= setTimeout(() => {
      this.#cleanupTimer = undefined;
      this.#database.change(deleteOld, [this.#retentionMs]).catch(() => this.#scheduleCleanup());
    }, 2 * this.#retentionMs).unref();
  }

  /** Takes as many messages as fit into one notification. A message that does not fit is sent alone. */
  #next(): readonly PendingNote[] {
    let bytes = 0;
    const tooMuch = this.#pending.findIndex((pending) => (bytes += pending.bytes) > maxNoticeBytes);
    return this.#pending.splice(0, tooMuch === -1 ? this.#pending.length : Math.max(1, tooMuch));
  }
}
