import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, test } from 'node:test';
import { ann, eventsUntil, textOf, untilInterrupted } from '../../test/support/sessions/session-place.ts';
import type { SessionStore, SessionWrite } from '../journal/session-store.ts';
import { ownTools } from '../runtimes/own-tools.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import { createSignalbox } from '../signalbox.ts';
import { createSessions } from './create-sessions.ts';

/** A store whose disk is full while `isFull` says so. */
function withFullDisk(store: SessionStore, isFull: () => boolean): SessionStore {
  return {
    create: (draft) => store.create(draft),
    find: (id) => store.find(id),
    select: (query) => store.select(query),
    count: (query) => store.count(query),
    delete: (id) => store.delete(id),
    memory: (id) => store.memory(id),
    async write(writes: readonly SessionWrite[]) {
      if (isFull()) throw new Error('database or disk is full');
      return store.write(writes);
    },
    events: (id, after, limit) => store.events(id, after, limit),
    trim: (id, keep) => store.trim(id, keep),
    queue: (turn) => store.queue(turn),
    claim: (session) => store.claim(session),
    interrupt: (session) => store.interrupt(session),
    takeLost: () => store.takeLost(),
    waiting: () => store.waiting(),
  };
}

describe('a store that cannot be written', () => {
  test('ends the turn: nothing goes on that could not be kept, and when there is room again it is told', async (t) => {
    const data = mkdtempSync(`${tmpdir()}/signalbox-full-`);
    const own = ownTools('runtime');
    const box = await createSignalbox({ data, servers: [own] });
    let isFull = false;
    const interrupted = Promise.withResolvers<void>();
    const runtime: Runtime = {
      name: 'scripted',
      async *turn(turn) {
        turn.signal.addEventListener('abort', () => interrupted.resolve());
        yield { type: 'text_delta', text: 'kept' };
        await new Promise((resolve) => setTimeout(resolve, 20));
        isFull = true;
        yield* untilInterrupted(turn, 'not kept');
      },
      close: () => Promise.resolve(),
    };
    const sessions = await createSessions({
      box: { ...box, sessionStore: withFullDisk(box.sessionStore, () => isFull) },
      agents: { usual: 'agent', list: () => [{ name: 'agent', runtime, own }] },
      cwd: data,
    });
    t.after(async () => {
      isFull = false;
      await sessions.close({ graceMs: 0 });
      await box.close();
      rmSync(data, { recursive: true });
    });
    const { id } = await sessions.create({}, ann);
    await sessions.send(id, 'go', ann);
    await interrupted.promise;
    assert.equal((await sessions.get(id)).state, 'running');
    isFull = false;
    const events = await eventsUntil(sessions, id, ({ type }) => type === 'done', 0);
    assert.equal(textOf(events), 'kept');
    const error = events.find((event) => event.type === 'error');
    assert.deepEqual([error?.code, events.at(-1)?.type], ['store-unavailable', 'done']);
    assert.match(error?.message ?? '', /disk is full/);
    assert.equal((await sessions.get(id)).state, 'idle');
  });
});
