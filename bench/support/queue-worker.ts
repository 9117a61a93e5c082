/** A process that runs turns, or jobs of pg-boss, and reports when each begins. Started by `bench/queue.ts`. */
import { openSignalbox } from '../../src/signalbox/create-signalbox.ts';
import { pathToFileURL } from 'node:url';
import { postgresStore } from '../../src/index.ts';
import { runtimeTools } from '../../src/runtimes/runtime-tools.ts';
import type { Turn, TurnEvent } from '../../src/runtimes/runtime.ts';
import { createSessions } from '../../src/sessions/create-sessions.ts';
import type { Boss } from './queue-boss.ts';

const [, , kind = '', address = '', module = ''] = process.argv;
const report = (event: string): void =>
  void process.stdout.write(`${event} ${performance.timeOrigin + performance.now()}\n`);

async function* turn({ content, signal }: Turn): AsyncGenerator<TurnEvent> {
  report(content);
  if (content.startsWith('hold')) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  yield { type: 'done', reason: 'end' };
}

if (kind === 'turns') {
  const own = runtimeTools('runtime');
  const box = await openSignalbox({ store: await postgresStore({ address }), servers: [own] });
  const runtime = { name: 'bench', turn, close: () => Promise.resolve() };
  await createSessions({
    box,
    agents: { defaultName: 'bench', list: () => [{ name: 'bench', runtime, runtimeTools: own }] },
  });
} else {
  const { PgBoss } = (await import(pathToFileURL(module).href)) as Boss;
  const boss = new PgBoss({
    connectionString: address,
    useListenNotify: true,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
  });
  boss.on('error', () => undefined);
  await boss.start();
  await boss.work('turns', { localConcurrency: 4, pollingIntervalSeconds: 0.5 }, async ([job]) => {
    const content = job?.data.content ?? '';
    report(content);
    if (content.startsWith('hold')) await new Promise(() => undefined);
  });
}
report('ready');
