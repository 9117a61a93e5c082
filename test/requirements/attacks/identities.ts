import type { Section } from '../requirement.ts';

const identity = (name: string) => `test/attacks/identities.test.ts > ${name}` as const;
const forged = (name: string) => `test/attacks/approval-tampering.test.ts > ${name}` as const;
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
        'history of a caller that chooses its session names > spans its sessions over HTTP, for flow, budget, rateLimit and requires',
      ),
      identity('history of a caller that chooses its session names > survives a restart'),
      identity('history of a caller that chooses its session names > spans new MCP sessions'),
      identity('history of a caller that chooses its session names > spans replicas on one PostgreSQL database'),
      identity(
        'history of a caller that chooses its session names > excludes a step that a human undid, also after a restart',
      ),
      identity(
        'history of a caller that chooses its session names > excludes a step that a human undid at another replica',
      ),
      'test/policy/agreement.test.ts > the policy engine agrees with the reference evaluator on 100,000 random traces',
    ],
  },
  H71: {
    promise:
      'every client of signalbox stdio is a principal of its own, by its normalized name and its project, and approvals hold for it alone',
    tests: [
      identity('client of signalbox stdio > is a principal identified by its name and its project, in every process'),
      identity(
        'client of signalbox stdio > does not get an approval that was given to another client, remembered or not',
      ),
      identity('client of signalbox stdio > is the same principal for the resources that it reads and subscribes to'),
    ],
  },
  H72: {
    promise: 'sessions are owned, compared and recorded by one normalized name',
    tests: [
      identity(
        'names of sessions and approvers > an agent cannot take over a session with another spelling of its name',
      ),
      'src/core/text/normalize-name.test.ts > normalizeName > makes names equal that differ only in invisible characters',
    ],
  },
  H73: {
    promise: 'answers from browsers name a person, and tokens appear by name, with ids that tell them apart',
    tests: [
      identity(
        'names of sessions and approvers > an approval names the signed-in person or the token, with the id that distinguishes tokens of the same name',
      ),
    ],
  },
  H74: {
    promise: 'wrong tokens do not lock out a right one',
    tests: [identity('lockout after twenty wrong tokens > does not affect a valid token that was never used before')],
  },
  H75: {
    promise:
      'journal verify finds a deleted or rewritten end and a deleted front, also when anchor, head and beginning were set to fit and Signalbox went on',
    tests: [
      journal('verification of a journal in an edited SQLite file > detects a deleted end with an adjusted anchor'),
      journal('verification of a journal in an edited SQLite file > detects a rewritten end with matching hashes'),
      journal(
        'verification of a journal in an edited SQLite file > detects a deleted front with an adjusted beginning',
      ),
      journal(
        'verification of a journal in an edited SQLite file > detects a seal that was removed, changed, or made with another key',
      ),
      journal(
        'verification of a journal in PostgreSQL > detects edits of the end, the front, index columns and approvals, also after later entries',
      ),
    ],
  },
  H76: {
    promise:
      'journal verify finds rows of the query tables, approvals and remembered rules that do not match the entries, whatever their dates, also after pruning',
    tests: [
      journal(
        'verification of a journal in an edited SQLite file > detects deleted, added and changed rows of the query index',
      ),
      journal(
        'verification of a journal in an edited SQLite file > detects forged, changed, reopened and removed approvals and remembered rules',
      ),
      forged(
        'approvals and rules in an edited SQLite file > a remembered approval whose row was changed to edited arguments admits no call',
      ),
      forged(
        'approvals and rules in an edited SQLite file > detects forged approvals and remembered rules of any date, and changed ones after pruning',
      ),
      forged(
        'in PostgreSQL: detects forged approvals and remembered rules of any date, and changed ones after pruning',
      ),
      forged(
        'approvals and rules in an edited SQLite file > a forged approval admits no call, and the next call asks again',
      ),
      forged(
        'approvals and rules in an edited SQLite file > holds for a journal that an earlier version pruned, and detects later forgeries',
      ),
      journal(
        'verification of a journal in an edited SQLite file > passes with revealed hidden parts, and detects changed hidden parts of a request',
      ),
    ],
  },
  H77: {
    promise: 'a crash, pruning, a backup that is restored, an older journal and a copy to PostgreSQL still verify',
    tests: [
      journal(
        'verification after changes that are not edits > passes after a crash between entries and seal: the seal is behind, and catches up',
      ),
      journal(
        'verification after changes that are not edits > passes for a journal of an earlier version, after pruning, and for a restored backup',
      ),
      journal(
        'verification of a journal in PostgreSQL > passes after a copy from SQLite, and detects edits made before the copy',
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
      journal('verification of a journal in PostgreSQL > detects forged and changed tokens, pins and stored outcomes'),
    ],
  },
  H78: {
    promise: 'without the key, verify says that the journal is not authenticated on this machine',
    tests: [
      journal('verification of a journal in an edited SQLite file > reports an unknown state without the key'),
      journal(
        'verification of a journal in PostgreSQL > reports an unknown state with a key that has sealed nothing, passes with a shared key, and after pruning',
      ),
    ],
  },
};
