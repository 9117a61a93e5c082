import type { EntryDraft, EntryType } from '../../journal/entries/stored-entry.ts';
import type { Redactor } from '../../redaction/redactor.ts';

/** The call that an entry is about. */
interface EntrySubject {
  readonly call?: string;
  readonly session?: string | undefined;
  readonly tool?: string;
}

/** Returns the draft of an entry with these properties, without secrets. By default, it is about no call. */
export function entryDraft(
  type: EntryType,
  properties: object,
  redactor: Redactor,
  { call = '', session = '', tool = '' }: EntrySubject = {},
): EntryDraft {
  return { type, at: Date.now(), call, session, tool, outcome: '', body: redactor.json(JSON.stringify(properties)) };
}
