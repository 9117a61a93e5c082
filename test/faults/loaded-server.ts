import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { within } from '../support/within.ts';
import type { LoadReport, LoadRequest } from './loaded-server-process.ts';

/** A server in a separate process. */
export interface LoadedServer {
  readonly url: string;
  ask(request: LoadRequest): Promise<LoadReport>;
}

/** Starts a server that can be put under load, and stops it after the test. */
export async function startLoadedServer(t: TestContext, env: Record<string, string> = {}): Promise<LoadedServer> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'loaded-server-process.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  });
  const exited = once(child, 'exit');
  t.after(async () => {
    if (child.connected) child.disconnect();
    await exited;
  });
  const [url] = (await within(once(child, 'message'), 'the start of the server')) as [string];
  return {
    url,
    async ask(request) {
      child.send(request);
      const [report] = (await within(once(child, 'message'), `the report after ${request.ask}`)) as [LoadReport];
      return report;
    },
  };
}
