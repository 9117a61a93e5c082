import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { TurnEvent } from '../../src/runtimes/runtime.ts';
import type { SessionEvent } from '../../src/sessions/events/session-event.ts';
import { until } from '../mcp-servers/boxed.ts';
import { isFull, reportScenario } from '../support/faults.ts';
import { startPostgres } from '../support/postgres/postgres.ts';
import { runSeed, seeded } from '../support/seeded.ts';
import { runAndKill } from './run-and-kill.ts';
import { openSessions } from './session-parts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const program = fileURLToPath(new URL('session-process.ts', import.meta.url));

async function* answer(content: string): AsyncGenerator<TurnEvent> {
  yield { type: 'text_delta', text: `answer to ${content}` };
  yield { type: 'done', reason: 'end' };
}

const cluster = await startPostgres();
after(() => cluster.end());
const rounds = isFull() ? 15 : 3;

describe('kill -9 during turns', () => {
  for (const store of ['SQLite', 'PostgreSQL'])
    test(`${store}: observed events persist, the turn ends with an error, and queued messages are answered`, async (t) => {
      const random = seeded(runSeed);
      for (let round = 0; round < rounds; round += 1) {
        const data = temporaryDirectory(t);
        const address = store === 'SQLite' ? '' : cluster.address(`turns_${round}`);
        const seen = new Map<string, number>();
        for (const line of await runAndKill(program, [data, address], random() * 300)) {
          const [id = '', seq] = line.split(' ');
          assert.equal(Number(seq), (seen.get(id) ?? 0) + 1, 'no gap, no duplicate');
          seen.set(id, Number(seq));
        }
        // Two processes recover the state of the dead one at the same time.
        const opened = await Promise.all([1, 2].map(() => openSessions(data, answer, address)));
        const [sessions] = opened.map((one) => one.sessions);
        assert.ok(sessions !== undefined);
        for (const [id, lastSeen] of seen) {
          const isIdle = async (): Promise<boolean> => (await sessions.get(id)).state === 'idle';
          await until(isIdle, `${id} is idle`);
          const { lastSeq } = await sessions.get(id);
          const events: SessionEvent[] = [];
          for await (const event of sessions.events(id, { after: 0, signal: AbortSignal.timeout(20_000) })) {
            events.push(event);
            if (event.seq === lastSeq) break;
          }
          assert.deepEqual(
            events.map(({ seq }) => seq),
            events.map((_, index) => index + 1),
          );
          assert.ok(events.length >= lastSeen, `${lastSeen} events were observed, ${events.length} are stored`);
          const end = events.findIndex(({ type }) => type === 'done');
          const [error, done] = events.slice(end - 1);
          assert.ok(error?.type === 'error' && error.code === 'turn-lost', 'the first turn was lost');
          assert.equal(done?.type === 'done' && done.reason, 'error');
          const rest = events.slice(end + 1).flatMap((event) => (event.type === 'text_delta' ? [event.text] : []));
          assert.deepEqual(rest, ['answer to second', 'answer to third']);
          assert.equal(events.filter(({ type }) => type === 'error').length, 1, 'only one process reported the error');
        }
        for (const one of opened) {
          await one.sessions.close();
          await one.box.close();
        }
      }
      reportScenario(t, { scenario: `kill -9 in turns, ${store}`, rounds, lost: 0, duplicates: 0 });
    });
});
