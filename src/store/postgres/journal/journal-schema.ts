/**
 * Only `append_entries` adds entries. It locks the head of the chain while it links a batch, but not until the batch is on the
 * disk: its commit does not wait for the disk, and the appending process flushes afterward (`flush`).
 */
export const journalSchema = `
-- The processes that write. A lock on the number of a writer shows that it is alive (see \`ListenConnection\`).
CREATE TABLE writers (
  number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE, server_started timestamptz NOT NULL,
  -- Increases whenever the writer gave up on an append.
  epoch integer NOT NULL DEFAULT 0
);

CREATE TABLE journal (
  seq bigint PRIMARY KEY, at bigint NOT NULL, type text NOT NULL, call text NOT NULL, session text NOT NULL, tool text NOT NULL,
  outcome text NOT NULL, writer text NOT NULL, body text NOT NULL, hash text NOT NULL,
  -- Values of the body, by which entries are found.
  server text NOT NULL, decision text NOT NULL, principal text NOT NULL, ms double precision
);
CREATE INDEX journal_at ON journal (at);
CREATE INDEX journal_ended ON journal (at, seq) WHERE type = 'ToolInvoked';
CREATE INDEX journal_call ON journal (call) WHERE call <> '';
CREATE INDEX journal_session ON journal (session, seq) WHERE session <> '';
CREATE INDEX journal_tool ON journal (tool, seq) WHERE tool <> '';
CREATE INDEX journal_outcome ON journal (outcome, seq) WHERE outcome <> '';
CREATE INDEX journal_server ON journal (server, seq) WHERE server <> '';

-- The newest head of the chain, stored apart from the entries.
CREATE TABLE head (id integer PRIMARY KEY CHECK (id = 1), seq bigint NOT NULL, hash text NOT NULL);
INSERT INTO head VALUES (1, 0, '');

-- Calls with an intent and no outcome, each with the writer that records its outcome.
CREATE TABLE open_calls (call text PRIMARY KEY, seq bigint NOT NULL, writer text NOT NULL);

CREATE FUNCTION append_entries(
  own_writer text, own_epoch integer, ats bigint[], types text[], calls text[], sessions text[], tools text[], outcomes text[], bodies text[],
  servers text[], decisions text[], principals text[], durations double precision[]
) RETURNS TABLE (seq bigint, hash text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  known_epoch integer;
  ended text[];
  place bigint;
  link text;
  places bigint[];
  links text[];
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT head.seq, head.hash INTO place, link FROM head FOR UPDATE;
  -- An append that its writer gave up on must not be written after a later one.
  SELECT epoch INTO known_epoch FROM writers WHERE name = own_writer;
  IF known_epoch > own_epoch THEN
    RAISE EXCEPTION 'an append came too late: its writer has given up on it';
  ELSIF known_epoch < own_epoch THEN
    UPDATE writers SET epoch = own_epoch WHERE name = own_writer;
  END IF;
  -- A call has one outcome. A process that was considered dead and the one that took over its call may both append one: the first is written.
  ended := ARRAY(SELECT new.call FROM unnest(types, calls) AS new (type, call)
    WHERE new.type = 'ToolInvoked' AND EXISTS (SELECT 1 FROM claims WHERE key = 'lost ' || new.call)
    AND NOT EXISTS (SELECT 1 FROM open_calls WHERE open_calls.call = new.call));
  places := array_fill(NULL::bigint, ARRAY[cardinality(ats)]);
  links := array_fill(NULL::text, ARRAY[cardinality(ats)]);
  FOR i IN 1 .. cardinality(ats) LOOP
    CONTINUE WHEN types[i] = 'ToolInvoked' AND calls[i] = ANY(ended);
    place := place + 1;
    link := encode(sha256(convert_to(concat_ws(E'\\n', link, place, ats[i], types[i], calls[i], sessions[i], tools[i],
      outcomes[i], own_writer, bodies[i]), 'UTF8')), 'hex');
    places[i] := place;
    links[i] := link;
  END LOOP;
  INSERT INTO journal
    SELECT new.seq, new.at, new.type, new.call, new.session, new.tool, new.outcome, own_writer, new.body, new.hash, new.server,
      new.decision, new.principal, new.ms
    FROM unnest(places, ats, types, calls, sessions, tools, outcomes, bodies, links, servers, decisions, principals, durations)
      AS new (seq, at, type, call, session, tool, outcome, body, hash, server, decision, principal, ms)
    WHERE new.seq IS NOT NULL;
  INSERT INTO open_calls
    SELECT new.call, new.seq, own_writer FROM unnest(places, types, calls) AS new (seq, type, call)
    WHERE new.type = 'CallStarted' ON CONFLICT DO NOTHING;
  DELETE FROM open_calls WHERE call IN (
    SELECT new.call FROM unnest(types, calls) AS new (type, call) WHERE new.type = 'ToolInvoked');
  UPDATE head SET seq = place, hash = link;
  RETURN QUERY SELECT * FROM unnest(places, links);
END $$;
`;
