import type { Section } from '../requirement.ts';

const identity = (name: string) => `test/attacks/identities.test.ts > ${name}` as const;
const journal = (name: string) => `test/attacks/journal-tampering.test.ts > ${name}` as const;

const authority = (name: string) =>
  `test/attacks/authority-tampering.test.ts > verification of authority records after edits of the SQLite file > ${name}` as const;

/** Identities and the journal (H70–H79). */
export const identities: Section<'H'> = {
  H70: {
    promise:
      'an agent that begins another session, over HTTP or MCP, at a restarted server or at another replica, keeps its history for flow, budget, rateLimit and requires',
    tests: [
      identity(
        'a caller that names its own sessions > keeps its history for flow, budget, rateLimit and requires over HTTP',
      ),
      identity('a caller that names its own sessions > keeps it over a restart'),
      identity('a caller that names its own sessions > keeps it with every new MCP session'),
      identity('a caller that names its own sessions > keeps it at every replica on one PostgreSQL'),
      identity('a caller that names its own sessions > cannot use a step that a human undid, also after a restart'),
      identity('a caller that names its own sessions > cannot use a step that a human undid at another replica'),
      'test/policy/agreement.test.ts > the engine agrees with a slow, obvious evaluator on 100,000 random traces',
    ],
  },
  H71: {
    promise:
      'every client of signalbox stdio is a principal of its own, by its normalized name and its project, and approvals hold for it alone',
    tests: [
      identity(
        'a client of signalbox stdio > is a principal of its own, by its name and its project, also in another process',
      ),
      identity('a client of signalbox stdio > gets no answer that was given to another client, remembered or not'),
      identity(
        'a client of signalbox stdio > is that principal for the resources that it reads and subscribes to, too',
      ),
    ],
  },
  H72: {
    promise: 'sessions are owned, compared and recorded by one normalized name',
    tests: [
      identity('names > an agent cannot take a session over by another spelling of its name'),
      'src/core/text/normalize-name.test.ts > names that callers choose > are the same when they differ only in characters that cannot be seen',
    ],
  },
  H73: {
    promise: 'answers from browsers name a person, and tokens appear by name, with ids that tell them apart',
    tests: [
      identity(
        'names > an answer from a browser or by a token names a person or the token, and the id that tells two tokens apart',
      ),
    ],
  },
  H74: {
    promise: 'wrong tokens do not lock out a right one',
    tests: [identity('twenty wrong tokens > do not lock out a right one that was never seen before')],
  },
  H75: {
    promise:
      'journal verify finds a deleted or rewritten end and a deleted front, also when anchor, head and beginning were set to fit and Signalbox went on',
    tests: [
      journal(
        'a journal that was edited in its SQLite file > is found out when the end was deleted and the anchor set to what is left',
      ),
      journal(
        'a journal that was edited in its SQLite file > is found out when the end was rewritten with hashes that fit',
      ),
      journal(
        'a journal that was edited in its SQLite file > is found out when the front was deleted and the beginning set',
      ),
      journal(
        'a journal that was edited in its SQLite file > is found out when the seal was removed, changed, or made with another key',
      ),
      journal(
        'a journal in PostgreSQL > is found out when the end, the front, columns of the index or approvals were edited, also after others went on',
      ),
    ],
  },
  H76: {
    promise:
      'journal verify finds rows of the query tables, approvals and remembered rules that do not fit the entries',
    tests: [
      journal(
        'a journal that was edited in its SQLite file > is found out when rows of the index that queries read were deleted, added or changed',
      ),
      journal(
        'a journal that was edited in its SQLite file > is found out when approvals or remembered rules were forged, changed, reopened or removed',
      ),
      journal(
        'a journal that was edited in its SQLite file > holds with hidden parts that were revealed, and is found out when those of a question were changed',
      ),
    ],
  },
  H77: {
    promise: 'a crash, pruning, a backup that is restored, an older journal and a copy to PostgreSQL still verify',
    tests: [
      journal(
        'what looks like an edit and is none > a crash between entries and seal: the seal is behind, and catches up',
      ),
      journal(
        'what looks like an edit and is none > a journal of an earlier version, pruning, a backup that is restored',
      ),
      journal(
        'a journal in PostgreSQL > keeps its seal when it comes from SQLite, and what was edited there is found out here',
      ),
    ],
  },
  H79: {
    promise:
      'journal verify finds tokens, pins, sign-ins and stored outcomes that were forged, changed, put back or removed, also after pruning, and names a changed anchor',
    tests: [
      ...['tokens', 'pins', 'sign-ins', 'stored outcomes'].map((name) =>
        authority(`${name}: reports forged, changed, restored and removed records`),
      ),
      authority('reports a forged sign-in link that was used'),
      authority('accounts for records after pruning, and pruning hides no forgery'),
      authority('accounts once for records of a version that wrote no entries for them'),
      authority('accounts once for pins of a version that wrote entries for everything else'),
      authority('reports an anchor that was set back'),
      journal('a journal in PostgreSQL > is found out when tokens, pins or stored outcomes were forged or changed'),
    ],
  },
  H78: {
    promise: 'without the key, verify says that the journal is not authenticated on this machine',
    tests: [
      journal('a journal that was edited in its SQLite file > says that it cannot tell where the key is not'),
      journal(
        'a journal in PostgreSQL > says so where the key of this machine has sealed nothing, holds with a shared key, and after pruning',
      ),
    ],
  },
};
