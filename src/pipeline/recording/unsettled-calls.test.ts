import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EntryDraft } from '../../journal/entries/stored-entry.ts';
import type { Store } from '../../journal/store/store.ts';
import { createSignalbox } from '../../signalbox/create-signalbox.ts';
import { defineTool } from '../../sources/local/define-tool.ts';
import { localServer } from '../../sources/local/local-server.ts';
import { sqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { until } from '../../../test/mcp-servers/boxed.ts';

/** A real store whose appends fail as told; `after` they were made, as when an answer gets lost. */
function failing(when: (drafts: readonly EntryDraft[]) => 'before' | 'after' | undefined): Store {
  const store = sqliteStore();
  return new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      if (key !== 'append') return value.bind(target) as unknown;
      return (drafts: readonly EntryDraft[]) => {
        const fails = when(drafts);
        if (fails === 'before') throw new Error('no room');
        const written = target.append(drafts);
        if (fails === 'after') throw new Error('no answer');
        return written;
      };
    },
  });
}

describe('a call whose outcome could not be recorded', () => {
  for (const [what, where, outcome, code] of [
    ['that ran', 'before', 'unknown', 'outcome-unrecorded'],
    ['that was refused although its intent had arrived', 'after', 'failed', 'journal-unavailable'],
  ] as const)
    test(`${what} gets the outcome its caller was told, once, when the store is there again`, async (t) => {
      let isAway = false;
      let runs = 0;
      const store = failing((drafts) => {
        if (!isAway) return undefined;
        return drafts.some(({ type }) => type === 'CallStarted') ? (where === 'after' ? 'after' : undefined) : 'before';
      });
      const act = defineTool({ name: 'act', description: 'Acts.', effect: 'irreversible', run: () => (runs += 1) });
      const policies = [{ id: 'all', match: '*', allow: true }];
      const box = await createSignalbox({ store, policies, servers: [localServer({ name: 't', tools: [act] })] });
      t.after(() => box.close());
      isAway = true;
      const told = await box.call('mcp__t__act');
      assert.deepEqual([told.outcome, told.error?.code], [outcome, code]);
      assert.equal(runs, outcome === 'unknown' ? 1 : 0);
      assert.equal((await box.journal.call(told.callId))?.type, 'CallStarted', 'it seems to run');
      isAway = false;
      await until(async () => (await box.journal.call(told.callId))?.type === 'ToolInvoked', 'it has an outcome');
      const { items } = await box.journal.query({ call: told.callId });
      const [ended, ...more] = items.filter(({ type }) => type === 'ToolInvoked');
      assert.ok(ended?.type === 'ToolInvoked' && more.length === 0);
      assert.deepEqual([ended.outcome, ended.error?.code], [outcome, code]);
      assert.equal((await box.journal.verify()).ok, true);
    });
});
