import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type TestContext, describe, test } from 'node:test';
import { tool as claudeTool } from '@anthropic-ai/claude-agent-sdk';
import { dynamicTool, jsonSchema, tool as aiTool } from 'ai';
import * as z from 'zod';
import { within } from '../../../test/support/within.ts';
import type { Progress } from '../../core/calls/call.ts';
import { SignalboxError } from '../../core/errors.ts';
import type { Signalbox } from '../../signalbox/signalbox.ts';
import type { SignalboxOptions } from '../../signalbox/signalbox-options.ts';
import { createSignalbox } from '../../signalbox/create-signalbox.ts';
import { defineTool } from './define-tool.ts';
import type { AnyTool } from './foreign-tools.ts';
import { localServer } from './local-server.ts';

async function boxWith(
  t: TestContext,
  tools: Record<string, AnyTool>,
  options: SignalboxOptions = {},
): Promise<Signalbox> {
  // Tools of other SDKs declare no effect, so their calls need approval.
  const box = await createSignalbox({
    servers: [localServer({ name: 's', tools })],
    builtin: false,
    approve: () => ({ allow: true }),
    ...options,
  });
  t.after(() => box.close());
  return box;
}

const invalid = (message: RegExp) => (error: unknown) =>
  error instanceof SignalboxError && error.code === 'tool-invalid' && message.test(error.message);

const weather = aiTool({
  description: 'Returns the weather.',
  inputSchema: z.object({ city: z.string(), unit: z.enum(['C', 'F']).default('C') }),
  execute: async ({ city, unit }) => ({ city, degrees: 20, unit }),
});

const salute = claudeTool(
  'salute',
  'Salutes.',
  { name: z.string(), loud: z.boolean().optional() },
  async ({ name, loud }) => ({
    content: [{ type: 'text', text: loud === true ? `HELLO ${name}` : `Hello ${name}` }],
  }),
);

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  effect: 'read',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => a + b,
});

describe('tools of three SDKs in one server', () => {
  test('are listed with their own descriptions and schemas', async (t) => {
    const box = await boxWith(t, { weather, salute, add });
    assert.deepEqual(
      box
        .tools()
        .map(({ name, description, inputSchema }) => [
          name,
          description,
          Object.keys((inputSchema as { properties: object }).properties),
        ]),
      [
        ['mcp__s__weather', 'Returns the weather.', ['city', 'unit']],
        ['mcp__s__salute', 'Salutes.', ['name', 'loud']],
        ['mcp__s__add', 'Adds.', ['a', 'b']],
      ],
    );
  });

  test('are called the same way', async (t) => {
    const box = await boxWith(t, { weather, salute, add });
    const rain = await box.call('mcp__s__weather', { city: 'Bern' });
    assert.equal(rain.outcome, 'completed');
    assert.deepEqual(rain.structuredContent, { city: 'Bern', degrees: 20, unit: 'C' });
    const hello = await box.call('mcp__s__salute', { name: 'Ada', loud: true });
    assert.deepEqual(hello.content, [{ type: 'text', text: 'HELLO Ada' }]);
    assert.equal((await box.call('mcp__s__add', { a: 1, b: 2 })).structuredContent, 3);
  });

  test('reject invalid arguments before they run', async (t) => {
    const box = await boxWith(t, { weather, salute });
    for (const [name, args, problem] of [
      ['mcp__s__weather', { city: 1 }, /\$\.city: /],
      ['mcp__s__weather', { city: 'Bern', unit: 'K' }, /\$\.unit: /],
      ['mcp__s__salute', {}, /\$\.name: /],
    ] as const) {
      const result = await box.call(name, args);
      assert.equal(result.error?.code, 'arguments-invalid');
      assert.match(result.error.message, problem);
    }
  });

  test('are not modified', async (t) => {
    const before = [Object.entries(weather), Object.entries(salute)];
    const box = await boxWith(t, { weather, salute });
    await box.call('mcp__s__weather', { city: 'Bern' });
    assert.deepEqual([Object.entries(weather), Object.entries(salute)], before);
  });

  test('fail their call when a Claude tool returns an error', async (t) => {
    const failing = claudeTool('failing', 'Fails.', {}, async () => ({
      content: [{ type: 'text', text: 'no such file' }],
      isError: true,
    }));
    const box = await boxWith(t, { failing });
    const result = await box.call('mcp__s__failing', {});
    assert.equal(result.outcome, 'failed');
    assert.deepEqual(result.error, { code: 'tool-failed', message: 'no such file' });
  });

  test('take no arguments when a Claude tool has an empty shape', () => {
    const [tool] = localServer({
      name: 's',
      tools: [claudeTool('now', 'Returns the time.', {}, async () => ({ content: [] }))],
    }).state().tools;
    assert.deepEqual(tool?.inputSchema, { type: 'object', properties: {} });
  });

  test('keep their `this`', async (t) => {
    const ai = {
      inputSchema: jsonSchema({ type: 'object' }),
      count: 1,
      execute() {
        return { count: this.count };
      },
    };
    const claude = {
      name: 'claude',
      description: 'x',
      inputSchema: {},
      count: 2,
      handler() {
        return { count: this.count };
      },
    };
    const box = await boxWith(t, { ai, claude });
    assert.deepEqual((await box.call('mcp__s__ai')).structuredContent, { count: 1 });
    assert.deepEqual((await box.call('mcp__s__claude')).structuredContent, { count: 2 });
  });
});

describe('AI SDK tools', () => {
  test('are named by their key, with jsonSchema(), dynamicTool() and outputSchema', async (t) => {
    const box = await boxWith(t, {
      raw: aiTool({
        inputSchema: jsonSchema<{ n: number }>({
          type: 'object',
          properties: { n: { type: 'number' } },
          required: ['n'],
        }),
        execute: ({ n }) => ({ n: n * 2 }),
      }),
      dynamic: dynamicTool({ description: 'Dynamic.', inputSchema: z.object({}), execute: async () => 'done' }),
      typed: aiTool({
        inputSchema: z.object({}),
        outputSchema: z.object({ n: z.number() }),
        execute: async () => ({ n: 'wrong' as unknown as number }),
      }),
    });
    assert.deepEqual((await box.call('mcp__s__raw', { n: 4 })).structuredContent, { n: 8 });
    assert.equal((await box.call('mcp__s__raw', { n: 'x' })).error?.code, 'arguments-invalid');
    assert.deepEqual((await box.call('mcp__s__dynamic', {})).content, [{ type: 'text', text: 'done' }]);
    assert.equal((await box.call('mcp__s__typed', {})).error?.code, 'result-invalid');
    assert.equal(box.tools()[0]?.description, 'raw', 'the name is the default description');
  });

  test('get the call id and the signal in the options of the AI SDK', async (t) => {
    let options: Record<string, unknown> = {};
    const box = await boxWith(t, {
      look: aiTool({
        inputSchema: z.object({}),
        execute: async (_input, given) => {
          options = { ...given };
          return 'ok';
        },
      }),
    });
    const { callId } = await box.call('mcp__s__look', {});
    assert.equal(options['toolCallId'], callId);
    assert.deepEqual(options['messages'], []);
    assert.ok(options['abortSignal'] instanceof AbortSignal);
  });

  test('that yield run to the end: the last value is the result, the others are progress', async (t) => {
    const box = await boxWith(t, {
      steps: aiTool({
        inputSchema: z.object({}),
        async *execute() {
          yield { status: 'begun' };
          await pause(1);
          yield { status: 'half' };
          yield { status: 'done' };
        },
      }),
    });
    const progress: Progress[] = [];
    const result = await box.call('mcp__s__steps', {}, { onProgress: (each) => progress.push(each) });
    assert.deepEqual(result.structuredContent, { status: 'done' });
    assert.deepEqual(progress, [{ progress: 1 }, { progress: 2 }]);
  });

  test('keep their provider options, and `strict` for the providers that have it', async (t) => {
    const tools = {
      a: aiTool({ inputSchema: z.object({}), providerOptions: { anthropic: { deferLoading: true } }, strict: true }),
      b: aiTool({ inputSchema: z.object({}), providerOptions: { openai: { async: true } } }),
    };
    const execute = (): string => 'x';
    const box = await boxWith(t, { a: { ...tools.a, execute }, b: { ...tools.b, execute } });
    assert.deepEqual(
      box.tools().map(({ providerOptions }) => providerOptions),
      [{ anthropic: { strict: true, deferLoading: true }, openai: { strict: true } }, { openai: { async: true } }],
    );
  });

  test('expose only the return value of toModelOutput, and no other field of their output', async (t) => {
    const account = { id: 7, secret: 'hidden-from-models' };
    const outputs: readonly [string, object, object][] = [
      ['text', { type: 'text', value: 'account 7' }, { content: [{ type: 'text', text: 'account 7' }] }],
      ['json', { type: 'json', value: { id: 7 } }, { structuredContent: { id: 7 } }],
      ['failed', { type: 'error-text', value: 'locked' }, { outcome: 'failed' }],
      ['denied', { type: 'execution-denied', reason: 'not today' }, { outcome: 'failed' }],
      [
        'content',
        {
          type: 'content',
          value: [
            { type: 'text', text: 'the account' },
            { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([1, 2]) } },
            { type: 'file', mediaType: 'application/pdf', data: { type: 'data', data: 'AQI=' } },
            { type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'inline' } },
            { type: 'image-url', url: 'https://example.org/a.png' },
          ],
        },
        {
          content: [
            { type: 'text', text: 'the account' },
            { type: 'image', data: 'AQI=', mimeType: 'image/png' },
            {
              type: 'resource',
              resource: { uri: 'file:///result', mimeType: 'application/pdf', blob: 'AQI=' },
            },
            { type: 'text', text: 'inline' },
            { type: 'text', text: '[image-url application/octet-stream]' },
          ],
        },
      ],
    ];
    const tools = outputs.map(([name, output]) => [
      name,
      aiTool({
        inputSchema: z.object({}),
        outputSchema: z.object({ id: z.number(), secret: z.string() }),
        execute: () => account,
        toModelOutput: ({ output: given }) => {
          assert.deepEqual(given, account);
          return output as { type: 'text'; value: string };
        },
      }),
    ]);
    const box = await boxWith(t, Object.fromEntries(tools) as Record<string, AnyTool>);
    for (const [name, , expected] of outputs) {
      const result = await box.call(`mcp__s__${name}`, {});
      assert.doesNotMatch(JSON.stringify(result), /hidden-from-models/);
      assert.partialDeepStrictEqual(result, expected);
    }
    assert.doesNotMatch(JSON.stringify((await box.journal.calls()).items), /hidden-from-models/);
  });

  test('that throw while they yield fail their call', async (t) => {
    const box = await boxWith(t, {
      steps: aiTool({
        inputSchema: z.object({}),
        async *execute() {
          yield 1;
          throw new Error('half way');
        },
      }),
    });
    const result = await box.call('mcp__s__steps', {});
    assert.equal(result.outcome, 'failed');
    assert.match(result.error.message, /half way/);
  });

  test('that yield endlessly are ended with their call', async (t) => {
    let yielded = 0;
    const caller = new AbortController();
    const ended = Promise.withResolvers<void>();
    const box = await boxWith(t, {
      endless: aiTool({
        inputSchema: z.object({}),
        async *execute() {
          try {
            for (;;) {
              await pause(1);
              yield (yielded += 1);
              if (yielded === 3) caller.abort();
            }
          } finally {
            ended.resolve();
          }
        },
      }),
    });
    const result = await box.call('mcp__s__endless', {}, { signal: caller.signal });
    assert.equal(result.outcome, 'cancelled');
    await within(ended.promise, 'the end of the generator');
  });

  test('without execute, or without a name, are rejected with the reason', () => {
    const inputSchema = z.object({});
    assert.throws(
      () => localServer({ name: 's', tools: { later: aiTool({ inputSchema }) } }),
      invalid(/^tool "later" has no execute function, so nothing can be run$/),
    );
    assert.throws(
      () => localServer({ name: 's', tools: [weather] }),
      invalid(/^a tool of the AI SDK has no name of its own: give the tools as an object, \{ name: tool \}$/),
    );
    localServer({ name: 's' }).add(weather, 'weather');
  });
});

describe('cancellation of tools of other SDKs', () => {
  const hanging = (signal: AbortSignal | undefined): Promise<never> =>
    new Promise((_resolve, reject) =>
      signal?.addEventListener('abort', () => reject(new Error('stopped', { cause: signal.reason }))),
    );

  test('happens by the caller and by the deadline', async (t) => {
    const seen: string[] = [];
    let onStart = (): void => undefined;
    const watch = (sdk: string, signal: AbortSignal | undefined): void => {
      signal?.addEventListener('abort', () => seen.push(`${sdk}: ${(signal.reason as Error).name}`));
      onStart();
    };
    const box = await boxWith(t, {
      ai: aiTool({
        inputSchema: z.object({}),
        execute: async (_input, { abortSignal }): Promise<string> => {
          watch('ai', abortSignal);
          return hanging(abortSignal);
        },
      }),
      claude: claudeTool('claude', 'Hangs.', {}, async (_args, extra) => {
        const { signal } = extra as { signal: AbortSignal };
        watch('claude', signal);
        return hanging(signal);
      }),
    });
    for (const name of ['mcp__s__ai', 'mcp__s__claude']) {
      const caller = new AbortController();
      onStart = () => caller.abort();
      assert.equal((await box.call(name, {}, { signal: caller.signal })).outcome, 'cancelled');
      onStart = () => undefined;
      assert.equal((await box.call(name, {}, { deadline: Date.now() + 300 })).outcome, 'timed-out');
    }
    assert.deepEqual(seen, ['ai: AbortError', 'ai: TimeoutError', 'claude: AbortError', 'claude: TimeoutError']);
  });
});

describe('the effect of tools that declare none', () => {
  const effects = (tools: Record<string, AnyTool>): string[] =>
    localServer({ name: 's', tools })
      .state()
      .tools.map(({ effect }) => effect);
  const claude = (annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean }): AnyTool =>
    claudeTool('x', 'x', {}, async () => ({ content: [] }), annotations === undefined ? undefined : { annotations });

  test('is read with readOnlyHint, irreversible without', () => {
    assert.deepEqual(effects({ weather }), ['irreversible']);
    assert.deepEqual(effects({ x: claude() }), ['irreversible']);
    assert.deepEqual(effects({ x: claude({ readOnlyHint: true }) }), ['read']);
    assert.deepEqual(effects({ x: claude({ readOnlyHint: false, destructiveHint: false }) }), ['irreversible']);
  });

  test('prevents that they run without approval', async (t) => {
    let ran = false;
    const box = await createSignalbox({
      servers: [
        localServer({
          name: 's',
          tools: { act: aiTool({ inputSchema: z.object({}), execute: async () => (ran = true) }) },
        }),
      ],
      builtin: false,
    });
    t.after(() => box.close());
    assert.equal((await box.call('mcp__s__act', {})).error?.code, 'approval-unavailable');
    assert.equal(ran, false);
  });
});
