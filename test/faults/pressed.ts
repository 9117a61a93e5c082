import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { within } from '../support/within.ts';
import type { Pressed, Pressing } from './pressed-process.ts';

/** A server in a process of its own. */
export interface PressedServer {
  readonly url: string;
  ask(what: Pressing): Promise<Pressed>;
}

/** Starts a server that can be put under pressure; it ends with the test. */
export async function pressedServer(test: TestContext, env: Record<string, string> = {}): Promise<PressedServer> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'pressed-process.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  });
  const gone = once(child, 'exit');
  test.after(async () => {
    if (child.connected) child.disconnect();
    await gone;
  });
  const [url] = (await within(once(child, 'message'), 'the start of the server')) as [string];
  return {
    url,
    async ask(what) {
      child.send(what);
      const [answer] = (await within(once(child, 'message'), `an answer to ${what.ask}`)) as [Pressed];
      return answer;
    },
  };
}
