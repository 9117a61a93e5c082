/** Runs turns until it is killed, and prints each event that a watcher receives. Started by `session-kills.test.ts`. */
import { writeSync } from 'node:fs';
import { openSessions } from './session-parts.ts';

const [, , data = '', address = ''] = process.argv;
const { sessions } = await openSessions(
  data,
  async function* (content, { signal }) {
    for (let piece = 0; !signal.aborted; piece += 1) {
      yield { type: 'text_delta', text: `${content}:${piece} ` };
      await new Promise((resolve) => setTimeout(resolve, piece % 7 === 0 ? 1 : 0));
    }
    yield { type: 'done', reason: 'interrupted' };
  },
  address,
);
const owner = { id: 'ann', kind: 'human' } as const;

async function converse(): Promise<void> {
  const { id } = await sessions.create({}, owner);
  for (const content of ['first', 'second', 'third']) await sessions.send(id, content, owner);
  for await (const { seq } of sessions.events(id, { after: 0, signal: new AbortController().signal }))
    writeSync(1, `${id} ${seq}\n`);
}
await Promise.all([converse(), converse(), converse()]);
