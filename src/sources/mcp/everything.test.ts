import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { boxed, until } from '../../../test/mcp-servers/boxed.ts';
import { referenceServer } from '../../../test/mcp-servers/programs.ts';
import type { CallClient, McpServer, McpTransport, Signalbox } from '../../index.ts';

async function everything(t: TestContext, way: 'stdio' | 'http'): Promise<McpTransport> {
  if (way === 'stdio') return referenceServer('everything');
  const free = createServer();
  await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  const { command, args = [] } = referenceServer('everything', ['streamableHttp']);
  const child = spawn(command, args, { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' });
  t.after(() => child.kill());
  return { type: 'http', url: `http://127.0.0.1:${port}/mcp` };
}

for (const way of ['stdio', 'http'] as const) {
  describe(`the reference server for everything (${way})`, () => {
    async function up(t: TestContext): Promise<{ box: Signalbox; server: McpServer }> {
      const roots = [{ uri: 'file:///usual', name: 'usual' }];
      const made = await boxed(t, { transport: await everything(t, way), roots });
      await until(() => made.server.health().state === 'up', 'it is up', 30_000);
      return made;
    }

    test('what it asks the user, in a form or on a page, is answered by whoever made the call', async (t) => {
      const { box } = await up(t);
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

    test('what it asks a model is answered by whoever made the call', async (t) => {
      const { box } = await up(t);
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
      const nobody = await box.call('mcp__fixture__trigger-sampling-request', args);
      assert.match(JSON.stringify(nobody.content), /nobody can answer sampling/);
    });

    test('it learns the directories, and that they changed', async (t) => {
      const { box, server } = await up(t);
      const roots = async (): Promise<string> =>
        JSON.stringify((await box.call('mcp__fixture__get-roots-list')).content);
      assert.match(await roots(), /file:\/\/\/usual/);
      server.setRoots([{ uri: 'file:///new', name: 'new' }]);
      for (let tries = 0; !(await roots()).includes('file:///new'); tries += 1) {
        assert.ok(tries < 100, 'it never heard');
        await wait(50);
      }
    });

    test('what it says during a call is told to whoever made it', async (t) => {
      const { box } = await up(t);
      const told: string[] = [];
      const client: CallClient = { log: ({ level, data }) => void told.push(`${level} ${JSON.stringify(data)}`) };
      await box.call('mcp__fixture__toggle-simulated-logging', {}, { client });
      const operation = { duration: 6, steps: 2 };
      await box.call('mcp__fixture__trigger-long-running-operation', operation, { client });
      assert.ok(told.length > 0);
      assert.match(told.join('\n'), /message/i);
    });

    test('its resources are read, watched and completed, its prompts filled in', async (t) => {
      const { box } = await up(t);
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
      await until(() => changes > 0, 'it is told of a change', 15_000);
      await stop();
    });
  });
}
