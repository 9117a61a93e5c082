import type { Dialect } from '../tables/table-database.ts';
import { tableSchema } from '../tables/table-store.ts';

export const dialect: Dialect = {
  name: 'sqlite',
  integer: 'INTEGER',
  boolean: 'INTEGER',
  orderedText: 'text',
  identity: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  rowTable: 'STRICT',
  keyTable: 'STRICT, WITHOUT ROWID',
  forUpdate: '',
  isFalse: (column) => `${column} = 0`,
};

/**
 * The `journal` table is the source of truth. Its key is its only index, so a commit writes one page. `entries` is the index:
 * `JournalIndex` updates it in batches, and it can always be rebuilt from the journal.
 */
const journalSchema = `
CREATE TABLE journal (
  seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, call TEXT NOT NULL, session TEXT NOT NULL,
  tool TEXT NOT NULL, outcome TEXT NOT NULL, writer TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL
) STRICT;

CREATE TABLE entries (
  seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, call TEXT NOT NULL, session TEXT NOT NULL,
  tool TEXT NOT NULL, outcome TEXT NOT NULL,
  -- 1 on the one entry that represents its call: the outcome, or the intent while there is no outcome.
  latest INTEGER NOT NULL,
  server TEXT NOT NULL, decision TEXT NOT NULL, principal TEXT NOT NULL, ms REAL
) STRICT;
CREATE INDEX entries_at ON entries (at);
CREATE INDEX entries_call ON entries (call) WHERE call <> '';
CREATE INDEX entries_session ON entries (session) WHERE session <> '';
CREATE INDEX entries_tool ON entries (tool) WHERE tool <> '';
CREATE INDEX entries_outcome ON entries (outcome) WHERE outcome <> '';
CREATE INDEX entries_server ON entries (server) WHERE server <> '';
CREATE INDEX entries_open ON entries (call) WHERE type = 'CallStarted' AND latest = 1;

CREATE TABLE anchor (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
INSERT INTO anchor VALUES (1, 0, '');

-- The ended calls by time, as numbers only, so that many can be read at once. Part of the index.
CREATE TABLE kinds (
  id INTEGER PRIMARY KEY, server TEXT NOT NULL, tool TEXT NOT NULL, outcome TEXT NOT NULL, UNIQUE (tool, server, outcome)
) STRICT;
CREATE TABLE samples (
  at INTEGER NOT NULL, seq INTEGER NOT NULL, kind INTEGER NOT NULL, ms REAL, PRIMARY KEY (at, seq)
) STRICT, WITHOUT ROWID;

-- The single row names the valid tail file; it is empty when there is none.
CREATE TABLE tail (id INTEGER PRIMARY KEY CHECK (id = 1), holder TEXT NOT NULL) STRICT;
INSERT INTO tail VALUES (1, '');
`;

/** The columns of an entry that are read from its body. They stay empty for a body that SQLite cannot parse, which must not stop the index. */
export const bodyFacts = `
  iif(json_valid(body), ifnull(body ->> '$.server', ''), ''), iif(json_valid(body), ifnull(body ->> '$.decision.answer', ''), ''),
  iif(json_valid(body), ifnull(body ->> '$.principal.id', ''), ''), iif(json_valid(body), body ->> '$.durationMs', NULL)`;

/** The version of the schema, stored as SQLite's `user_version`; 0 is an empty file. */
export const schemaVersion = 1;

/** Creates every table of a new file. */
export const schema = journalSchema + tableSchema(dialect);
