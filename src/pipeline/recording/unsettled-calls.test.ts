import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EntryDraft } from '../../journal/entries/stored-entry.ts';
import type { Store } from '../../journal/store/store.ts';
import { createSignalbox } from '../../signalbox/create-signalbox.ts';
import { defineTool } from '../../sources/local/define-tool.ts';
import { localServer } from '../../sources/local/local-server.ts';
import { sqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { until } from '../../../test/mcp-servers/boxed.ts';

/** Creates a real store whose appends fail before they are written, or `after`, as when a response is lost. */
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
        if (fails === 'after') throw new Error('no response');
        return written;
      };
    },
  });
}

describe('call whose outcome could not be recorded', () => {
  for (const [which, where, outcome, code] of [
    ['that ran', 'before', 'unknown', 'outcome-unrecorded'],
    ['that was refused although its intent was written', 'after', 'failed', 'journal-unavailable'],
  ] as const)
    test(`${which} is recorded once, with the outcome its caller received, when the store is available again`, async (t) => {
      let isUnavailable = false;
      let runs = 0;
      const store = failing((drafts) => {
        if (!isUnavailable) return undefined;
        return drafts.some(({ type }) => type === 'CallStarted') ? (where === 'after' ? 'after' : undefined) : 'before';
      });
      const act = defineTool({ name: 'act', description: 'Acts.', effect: 'irreversible', run: () => (runs += 1) });
      const policies = [{ id: 'all', match: '*', allow: true }];
      const box = await createSignalbox({ store, policies, servers: [localServer({ name: 't', tools: [act] })] });
      t.after(() => box.close());
      isUnavailable = true;
      const result = await box.call('mcp__t__act');
      assert.deepEqual([result.outcome, result.error?.code], [outcome, code]);
      assert.equal(runs, outcome === 'unknown' ? 1 : 0);
      assert.equal((await box.journal.call(result.callId))?.type, 'CallStarted', 'it is listed as running');
      isUnavailable = false;
      await until(
        async () => (await box.journal.call(result.callId))?.type === 'ToolInvoked',
        'the outcome is recorded',
      );
      const { items } = await box.journal.query({ call: result.callId });
      const [ended, ...more] = items.filter(({ type }) => type === 'ToolInvoked');
      assert.ok(ended?.type === 'ToolInvoked' && more.length === 0);
      assert.deepEqual([ended.outcome, ended.error?.code], [outcome, code]);
      assert.equal((await box.journal.verify()).ok, true);
    });
});
