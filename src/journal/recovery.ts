import type { EntryDraft, StoredEntry } from './entry.ts';
import type { Journal } from './journal.ts';
import type { Store } from './store.ts';

/**
 * Gives every call that died with its process the outcome `unknown`: it may or may not have acted, and nobody guesses.
 * Returns how many there were.
 */
export async function recordUnknown(store: Store, journal: Journal): Promise<number> {
  const orphans = await store.orphans();
  await Promise.all(orphans.map((intent) => journal.append(unknownDraft(intent), 'crash')));
  return orphans.length;
}

function unknownDraft(intent: StoredEntry): EntryDraft {
  const message = `the process ended after ${intent.tool} was started and before its outcome was recorded; it may have taken effect`;
  const facts = JSON.parse(intent.body) as object;
  const body = JSON.stringify({ ...facts, durationMs: null, output: '', error: { code: 'outcome-lost', message } });
  return {
    type: 'ToolInvoked',
    at: Date.now(),
    call: intent.call,
    session: intent.session,
    tool: intent.tool,
    outcome: 'unknown',
    body,
  };
}
