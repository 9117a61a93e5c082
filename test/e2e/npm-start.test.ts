import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { type TestContext, suite, test } from 'node:test';
import { until } from '../mcp-servers/boxed.ts';
import { root } from '../support/command.ts';
import { within } from '../support/within.ts';
import { CliProject, waitForOutput, sourceLauncher } from './cli-project.ts';

interface Started {
  readonly npm: ChildProcessWithoutNullStreams;
  readonly url: string;
  readonly port: number;
  /** Resolves with the complete standard error. */
  readonly errors: Promise<string>;
}

/** Runs an npm command that starts a server, in its own process group. */
async function startWithNpm(t: TestContext, args: readonly string[]): Promise<Started> {
  const env = {
    ...process.env,
    SIGNALBOX_HOME: new CliProject().data,
    SIGNALBOX_TRUST: '',
    SIGNALBOX_TOKEN: '',
    SIGNALBOX_SECRETS: 'file',
    npm_config_update_notifier: 'false',
  };
  const npm = spawn('npm', [...args, '--port', '0', '--json'], { cwd: root, env, detached: true });
  const group = npm.pid;
  assert.ok(group !== undefined);
  t.after(() => {
    try {
      process.kill(-group, 'SIGKILL');
    } catch {
      // No process of the group is left, as the test expects.
    }
  });
  const errors = text(npm.stderr);
  const { url, port } = JSON.parse(/\{[\s\S]*\}\n/.exec(await waitForOutput(npm.stdout, /\}\n/))?.[0] ?? '') as Started;
  return { npm, url, port, errors };
}

/** Waits until the server does not answer and its port is free. */
async function assertEnded({ npm, url, port }: Started): Promise<void> {
  if (npm.exitCode === null && npm.signalCode === null) await within(once(npm, 'exit'), 'the end of npm');
  await until(async () => {
    const answers = await fetch(`${url}/api/health/live`).then(
      () => true,
      () => false,
    );
    return !answers;
  }, 'the server has ended');
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
}

suite('server started by npm', { concurrency: true }, () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const)
    test(`ends with npm when npm receives ${signal}, and its port is free`, async (t) => {
      const started = await startWithNpm(t, ['start', '--']);
      assert.equal((await fetch(`${started.url}/api/health/live`)).status, 200);
      started.npm.kill(signal);
      await assertEnded(started);
    });

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    test(`stops in order when the whole process group receives ${signal}, as after Ctrl-C, and npm passes it on`, async (t) => {
      const started = await startWithNpm(t, ['start', '--']);
      assert.ok(started.npm.pid !== undefined);
      process.kill(-started.npm.pid, signal);
      await assertEnded(started);
      assert.match(await within(started.errors, 'the end of the output'), /stopping: closing servers.*\nstopped\n/s);
    });

  for (const signal of ['SIGTERM', 'SIGKILL'] as const)
    test(`ends with npx when npx receives ${signal}, and its port is free`, async (t) => {
      const command = [join(root, 'node_modules', '.bin', 'node'), sourceLauncher, 'serve'];
      const started = await startWithNpm(t, ['exec', '--', ...command]);
      started.npm.kill(signal);
      await assertEnded(started);
    });
});
