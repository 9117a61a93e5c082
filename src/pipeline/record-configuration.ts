import type { ConfigurationChange } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { Redactor } from '../journal/redaction.ts';

/** Writes to the journal what became of a changed configuration. */
export function recordConfiguration(change: ConfigurationChange, journal: Journal, redactor: Redactor): void {
  const { status, file, by, details } = change;
  journal.note(() => ({
    type: 'ConfigurationChanged',
    at: Date.now(),
    call: '',
    session: '',
    tool: '',
    outcome: '',
    body: redactor.json(JSON.stringify({ status, file, by, details })),
  }));
}
