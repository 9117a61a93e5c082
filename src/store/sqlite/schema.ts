import { approvalSchema } from './approval-table.ts';
import { beginningSchema } from './pruned-journal.ts';
import { tailSchema } from './journal-table.ts';
import { sentSchema, sessionSchema } from './session-table.ts';
import { tokenSchema } from './token-table.ts';
import { jobSchema } from './job-table.ts';
import { keptSchema } from './kept-table.ts';
import { sealSchema } from './seal-table.ts';
import { sampleSchema, sampleSteps } from './sample-table.ts';

/**
 * The journal is the truth and has no index besides its key, so that a commit touches one page. `entries` is the index over
 * it, brought up to date in batches (see `index-journal.ts`) and always rebuildable from the journal.
 */
const journalSchema = `
CREATE TABLE journal (
  seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, call TEXT NOT NULL, session TEXT NOT NULL,
  tool TEXT NOT NULL, outcome TEXT NOT NULL, writer TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL
) STRICT;

CREATE TABLE entries (
  seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, call TEXT NOT NULL, session TEXT NOT NULL,
  tool TEXT NOT NULL, outcome TEXT NOT NULL,
  latest INTEGER NOT NULL -- 1 on the one entry that speaks for its call: the outcome, or the intent while there is none
) STRICT;
CREATE INDEX entries_at ON entries (at);
CREATE INDEX entries_call ON entries (call) WHERE call <> '';
CREATE INDEX entries_session ON entries (session) WHERE session <> '';
CREATE INDEX entries_tool ON entries (tool) WHERE tool <> '';
CREATE INDEX entries_outcome ON entries (outcome) WHERE outcome <> '';
CREATE INDEX entries_open ON entries (call) WHERE type = 'CallStarted' AND latest = 1;

CREATE TABLE anchor (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
INSERT INTO anchor VALUES (1, 0, '');

CREATE TABLE claims (key TEXT PRIMARY KEY, call TEXT NOT NULL, fingerprint TEXT NOT NULL, outcome TEXT) STRICT, WITHOUT ROWID;

CREATE TABLE results (id TEXT PRIMARY KEY, owner TEXT NOT NULL, mime_type TEXT NOT NULL, total INTEGER NOT NULL, at INTEGER NOT NULL) STRICT;
CREATE TABLE result_pages (id TEXT NOT NULL, start INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (id, start)) STRICT, WITHOUT ROWID;
`;

const recordingSchema = 'CREATE TABLE recordings (call TEXT PRIMARY KEY, outcome TEXT NOT NULL) STRICT, WITHOUT ROWID;';

/** What the body of an entry tells besides its columns, for the index over the journal. */
const factColumns = ['server', 'decision', 'principal', 'ms'];
/** A body that is no JSON, or nested deeper than SQLite reads it, is told nothing of; it must not stop the index. */
export const bodyFacts = `
  iif(json_valid(body), ifnull(body ->> '$.server', ''), ''), iif(json_valid(body), ifnull(body ->> '$.decision.answer', ''), ''),
  iif(json_valid(body), ifnull(body ->> '$.principal.id', ''), ''), iif(json_valid(body), body ->> '$.durationMs', NULL)`;

const factSchema = `
ALTER TABLE entries ADD COLUMN server TEXT NOT NULL DEFAULT '';
ALTER TABLE entries ADD COLUMN decision TEXT NOT NULL DEFAULT '';
ALTER TABLE entries ADD COLUMN principal TEXT NOT NULL DEFAULT '';
ALTER TABLE entries ADD COLUMN ms REAL;
UPDATE entries SET (${factColumns.join(', ')}) = (SELECT ${bodyFacts} FROM journal WHERE journal.seq = entries.seq);
CREATE INDEX entries_server ON entries (server) WHERE server <> '';
${sampleSchema}
${sampleSteps.map((step) => step.replace('seq > ? AND seq <= ?', 'seq > 0')).join('; ')};
`;

/** What brings a file from each version to the next; the last version is the number of steps. */
export const schemaSteps: readonly string[] = [
  journalSchema,
  approvalSchema,
  recordingSchema,
  sessionSchema,
  tokenSchema,
  jobSchema,
  tailSchema,
  factSchema,
  sentSchema,
  keptSchema,
  beginningSchema,
  sealSchema,
];
