import { openSignalbox } from '../../src/signalbox/create-signalbox.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { modelRuntime } from '../../src/runtimes/model/model-runtime.ts';
import { runtimeTools } from '../../src/runtimes/runtime-tools.ts';
import { createSessions } from '../../src/sessions/create-sessions.ts';

/**
 * Returns the memory per idle session in this process, after one turn with the demo model, as the slope over the number of
 * sessions.
 */
export async function idleSessions(
  first: number,
  more: number,
): Promise<{ readonly heapKb: number; readonly residentKb: number }> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const data = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const box = await openSignalbox({ data });
  const own = runtimeTools('model');
  box.servers.add(own);
  const runtime = modelRuntime({ model: 'demo' });
  const sessions = await createSessions({
    box,
    agents: { list: () => [{ name: 'demo', runtime, runtimeTools: own }], defaultName: 'demo' },
  });
  const owner = { id: 'bench', kind: 'human' } as const;

  async function runSessions(count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      const { id } = await sessions.create({}, owner);
      const { afterSeq } = await sessions.send(id, 'ping the server', owner);
      const abort = new AbortController();
      for await (const event of sessions.events(id, { after: afterSeq, signal: abort.signal }))
        if (event.type === 'done') abort.abort();
    }
  }

  async function memory(): Promise<NodeJS.MemoryUsage> {
    await new Promise((resolve) => setTimeout(resolve, 500));
    collect();
    collect();
    return process.memoryUsage();
  }

  await runSessions(first);
  const before = await memory();
  await runSessions(more);
  const after = await memory();
  await sessions.close();
  await runtime.close();
  await box.close();
  rmSync(data, { recursive: true, force: true });
  return {
    heapKb: (after.heapUsed - before.heapUsed) / more / 1024,
    residentKb: (after.rss - before.rss) / more / 1024,
  };
}
