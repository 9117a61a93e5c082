/** Appends in bursts until it is killed, and prints every acknowledged entry. Started by `tail-races.test.ts`. */
import { writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { EntryDraft } from '../../src/journal/entries/stored-entry.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

const [, , file = '', name = ''] = process.argv;
const store = sqliteStore({ file });

function draft(call: string): EntryDraft {
  return {
    type: 'ToolInvoked',
    at: Date.now(),
    call,
    session: '',
    tool: 'mcp__a__b',
    outcome: 'completed',
    // Varied sizes, so that a tail sometimes becomes long enough to be followed by another.
    body: JSON.stringify('x'.repeat(Math.random() * 1000)),
  };
}

for (let count = 0; ; count += 1) {
  const calls = Array.from({ length: 1 + (count % 3) }, (_, index) => `${name}_${count}_${index}`);
  const written = await store.append(calls.map(draft));
  writeSync(1, written.map((entry) => `${entry?.call} ${entry?.seq} ${entry?.hash}\n`).join(''));
  // Long enough for another process to write undisturbed, and short enough to interleave with it.
  if (Math.random() < 0.02) await wait(Math.random() * 15);
  if (Math.random() < 0.02) await store.entries({ order: 'newest-first', limit: 1 });
  if (Math.random() < 0.02) await store.sync();
}
