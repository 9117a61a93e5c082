import { closestMatch } from '../../core/text/closest-match.ts';
import type { JournalReader } from '../../journal/queries/journal-reader.ts';
import { CliError } from '../cli-error.ts';

/** Returns the id of a call that is given by its id or by the number of one of its journal entries. */
export async function resolveCallId(named: string, journal: Pick<JournalReader, 'query'>): Promise<string> {
  if (!/^#?\d{1,15}$/.test(named)) return named;
  const seq = Number(named.replace('#', ''));
  const [entry] = (await journal.query({ before: seq + 1, limit: 1 })).items;
  return entry?.seq === seq && 'callId' in entry ? entry.callId : named;
}

/** The number of recent calls that are searched for similar session ids. */
const maxSearchedCalls = 1000;
const maxShownSessions = 3;

/** Returns the error for a session without recorded calls. It suggests the closest session id, or lists the latest. */
export async function unknownSessionError(session: string, journal: JournalReader): Promise<CliError> {
  const { items } = await journal.calls({ limit: maxSearchedCalls });
  const known = [...new Set(items.flatMap((call) => call.sessionId ?? []))];
  // Session ids share long prefixes, so a truncated id is a better match than a similar one.
  const meant = known.find((each) => session !== '' && each.startsWith(session)) ?? closestMatch(session, known);
  const last = known.slice(0, maxShownSessions);
  const lines =
    meant === undefined
      ? last.length === 0
        ? []
        : [`the latest sessions: ${last.join(', ')}`]
      : [`did you mean ${meant}?`];
  return new CliError(1, 'session-unknown', `the journal has no call of session ${JSON.stringify(session)}`, {
    lines,
    ...(meant === undefined ? {} : { data: { nearest: meant } }),
    next: 'signalbox journal shows the sessions',
  });
}
