import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { boxed, until } from '../../../test/mcp-servers/boxed.ts';
import { referenceServer } from '../../../test/mcp-servers/programs.ts';
import type { CallClient, McpServer, McpTransport, Signalbox } from '../../index.ts';

/** Returns the transport to the reference server "everything". */
async function everything(t: TestContext, kind: 'stdio' | 'http'): Promise<McpTransport> {
  if (kind === 'stdio') return referenceServer('everything');
  const free = createServer();
  await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  const { command, args = [] } = referenceServer('everything', ['streamableHttp']);
  const child = spawn(command, args, { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' });
  t.after(() => child.kill());
  return { type: 'http', url: `http://127.0.0.1:${port}/mcp` };
}

for (const kind of ['stdio', 'http'] as const) {
  describe(`the reference server "everything" (${kind})`, () => {
    async function connected(t: TestContext): Promise<{ box: Signalbox; server: McpServer }> {
      const roots = [{ uri: 'file:///configured', name: 'configured' }];
      const mounted = await boxed(t, { transport: await everything(t, kind), roots });
      await until(() => mounted.server.health().state === 'up', 'the server is up', 30_000);
      return mounted;
    }

    test('gets answers to its elicitations, in a form or on a page, from the caller', async (t) => {
      const { box } = await connected(t);
      const asked: string[] = [];
      const client: CallClient = {
        elicit(request) {
          asked.push(request.mode === 'url' ? request.url : Object.keys(request.requestedSchema).join());
          return request.mode === 'url'
            ? { action: 'accept' }
            : { action: 'accept', content: { name: 'Ada Lovelace', email: 'ada@example.org', integer: 7 } };
        },
      };
      const form = await box.call('mcp__fixture__trigger-elicitation-request', {}, { client });
      assert.match(JSON.stringify(form.content), /Name: Ada Lovelace.*Email: ada@example\.org.*Favorite Integer: 7/);
      const url = 'https://example.org/consent';
      const page = await box.call('mcp__fixture__trigger-url-elicitation', { url, message: 'Agree?' }, { client });
      assert.equal(page.outcome, 'completed');
      assert.deepEqual(asked, ['type,properties,required', url]);
      const declined = await box.call(
        'mcp__fixture__trigger-elicitation-request',
        {},
        { client: { elicit: () => ({ action: 'decline' }) } },
      );
      assert.match(JSON.stringify(declined.content), /User declined/);
      const wrong = { elicit: () => ({ action: 'accept', content: { name: 'Ada', email: 'nowhere' } }) as const };
      const refused = await box.call('mcp__fixture__trigger-elicitation-request', {}, { client: wrong });
      assert.match(JSON.stringify(refused.content), /\$\.email must match format/);
    });

    test('gets answers to its sampling requests from the caller', async (t) => {
      const { box } = await connected(t);
      const client: CallClient = {
        sample: ({ messages, maxTokens }) => ({
          role: 'assistant',
          model: 'none',
          content: { type: 'text', text: `${JSON.stringify(messages)} within ${maxTokens}` },
        }),
      };
      const args = { prompt: 'the weather', maxTokens: 12 };
      const result = await box.call('mcp__fixture__trigger-sampling-request', args, { client });
      assert.match(JSON.stringify(result.content), /the weather.*within 12/);
      const unanswered = await box.call('mcp__fixture__trigger-sampling-request', args);
      assert.match(JSON.stringify(unanswered.content), /nobody can answer sampling/);
    });

    test('receives the roots and their changes', async (t) => {
      const { box, server } = await connected(t);
      const roots = async (): Promise<string> =>
        JSON.stringify((await box.call('mcp__fixture__get-roots-list')).content);
      assert.match(await roots(), /file:\/\/\/configured/);
      server.setRoots([{ uri: 'file:///new', name: 'new' }]);
      for (let tries = 0; !(await roots()).includes('file:///new'); tries += 1) {
        assert.ok(tries < 100, 'the server did not receive the new roots');
        await wait(50);
      }
    });

    test('sends log messages during a call to the caller', async (t) => {
      const { box } = await connected(t);
      const logged: string[] = [];
      const client: CallClient = { log: ({ level, data }) => void logged.push(`${level} ${JSON.stringify(data)}`) };
      await box.call('mcp__fixture__toggle-simulated-logging', {}, { client });
      const operation = { duration: 6, steps: 2 };
      await box.call('mcp__fixture__trigger-long-running-operation', operation, { client });
      assert.ok(logged.length > 0);
      assert.match(logged.join('\n'), /message/i);
    });

    test('offers resources that can be read, subscribed and completed, and prompts', async (t) => {
      const { box } = await connected(t);
      assert.ok(
        box.resources.list().length > 0 && box.resources.templates().length > 0 && box.prompts.list().length > 0,
      );
      const [first] = box.resources.list();
      const read = await box.resources.read('fixture', first?.uri ?? '');
      assert.ok(Array.isArray(read['contents']) && read['contents'].length > 0);
      const dynamic = await box.resources.read('fixture', 'demo://resource/dynamic/text/1');
      assert.match(JSON.stringify(dynamic), /Resource 1/);
      const prompt = await box.prompts.get('fixture', 'args-prompt', { city: 'Berlin' });
      assert.match(JSON.stringify(prompt), /Berlin/);
      const ref = { type: 'ref/prompt', name: 'completable-prompt' } as const;
      const { completion } = await box.complete('fixture', { ref, argument: { name: 'department', value: 'E' } });
      assert.deepEqual((completion as { values: string[] }).values, ['Engineering']);
      let changes = 0;
      const stop = await box.resources.subscribe('fixture', 'demo://resource/dynamic/text/1', () => (changes += 1));
      await box.call('mcp__fixture__toggle-subscriber-updates');
      await until(() => changes > 0, 'a change is reported', 15_000);
      await stop();
    });
  });
}
