import type { JournalReader } from '../journal/queries/journal-reader.ts';
import { closestMatch } from '../core/text/closest-match.ts';
import { Failure } from './fail.ts';

/** How far back sessions are looked for that may have been meant. */
const recentCalls = 1000;
const shownSessions = 3;

/** Tells that no call of a session is recorded, and which one may have been meant, or which were the last. */
export async function unknownSession(session: string, journal: JournalReader): Promise<Failure> {
  const { items } = await journal.calls({ limit: recentCalls });
  const known = [...new Set(items.flatMap((call) => call.sessionId ?? []))];
  // Ids are long and begin alike: one that was cut off is meant as it goes on.
  const meant = known.find((each) => session !== '' && each.startsWith(session)) ?? closestMatch(session, known);
  const last = known.slice(0, shownSessions);
  const lines =
    meant === undefined
      ? last.length === 0
        ? []
        : [`the last sessions: ${last.join(', ')}`]
      : [`did you mean ${meant}?`];
  return new Failure(1, 'session-unknown', `no call of a session ${JSON.stringify(session)} is in the journal`, {
    lines,
    ...(meant === undefined ? {} : { data: { nearest: meant } }),
    next: 'signalbox journal shows the sessions',
  });
}
