/** What the body of an entry tells besides its columns, for the index over the journal. */
export const factColumns = ['server', 'decision', 'principal', 'ms'];
/** A body that is no JSON, or nested deeper than SQLite reads it, is told nothing of; it must not stop the index. */
export const bodyFacts = `
  iif(json_valid(body), ifnull(body ->> '$.server', ''), ''), iif(json_valid(body), ifnull(body ->> '$.decision.answer', ''), ''),
  iif(json_valid(body), ifnull(body ->> '$.principal.id', ''), ''), iif(json_valid(body), body ->> '$.durationMs', NULL)`;
