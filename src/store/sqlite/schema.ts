import { approvalSchema } from './tables/approval-table.ts';
import { beginningSchema } from './journal/pruned-journal.ts';
import { tailSchema } from './journal/journal-table.ts';
import { sessionSchema } from './tables/session-table.ts';
import { tokenSchema } from './tables/token-table.ts';
import { jobSchema } from './tables/job-table.ts';
import { keyValueSchema } from './tables/key-value-table.ts';
import { sealSchema } from './journal/seal-table.ts';
import { sampleSchema } from './journal/sample-table.ts';

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

CREATE TABLE claims (key TEXT PRIMARY KEY, call TEXT NOT NULL, fingerprint TEXT NOT NULL, outcome TEXT) STRICT, WITHOUT ROWID;

CREATE TABLE results (id TEXT PRIMARY KEY, owner TEXT NOT NULL, mime_type TEXT NOT NULL, total INTEGER NOT NULL, at INTEGER NOT NULL) STRICT;
CREATE TABLE result_pages (id TEXT NOT NULL, start INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (id, start)) STRICT, WITHOUT ROWID;
CREATE TABLE recordings (call TEXT PRIMARY KEY, outcome TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

/** The columns of an entry that are read from its body. They stay empty for a body that SQLite cannot parse, which must not stop the index. */
export const bodyFacts = `
  iif(json_valid(body), ifnull(body ->> '$.server', ''), ''), iif(json_valid(body), ifnull(body ->> '$.decision.answer', ''), ''),
  iif(json_valid(body), ifnull(body ->> '$.principal.id', ''), ''), iif(json_valid(body), body ->> '$.durationMs', NULL)`;

/** The version of the schema, stored as SQLite's `user_version`; 0 is an empty file. */
export const schemaVersion = 1;

/** Creates every table of a new file. */
export const schema = [
  journalSchema,
  sampleSchema,
  approvalSchema,
  sessionSchema,
  tokenSchema,
  jobSchema,
  tailSchema,
  keyValueSchema,
  beginningSchema,
  sealSchema,
].join('\n');
