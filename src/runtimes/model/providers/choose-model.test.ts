import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startMessagesServer } from '../../../../test/support/model/messages-server.ts';
import { runTurn } from '../../../../test/support/runtime/run-turn.ts';
import { type SuiteBox, openSuiteBox } from '../../../../test/support/runtime/suite-box.ts';
import { modelRuntime } from '../model-runtime.ts';
import { chooseModel } from './choose-model.ts';

describe('chooseModel', () => {
  const keys = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'];
  const saved = keys.map((key) => [key, process.env[key]] as const);
  before(() => keys.forEach((key) => delete process.env[key]));
  after(() => saved.forEach(([key, value]) => value !== undefined && (process.env[key] = value)));

  for (const [model, problem] of [
    ['gpt-5', /write "provider\/model".*or "demo"/],
    ['openai/', /write "provider\/model"/],
    ['opnai/gpt-5', /did you mean "openai"\?/],
    ['ollama/llama', /give "ollama" a "baseURL"/],
    ['openai/gpt-5', /set OPENAI_API_KEY/],
    ['anthropic/claude', /set ANTHROPIC_API_KEY/],
    ['google/gemini', /set GOOGLE_GENERATIVE_AI_API_KEY/],
  ] as const) {
    test(`rejects ${model} with the next step`, async () => {
      await assert.rejects(chooseModel(model, {}), { code: 'model-unusable', message: problem });
    });
  }

  test('finds a model by provider and name', async () => {
    for (const [model, id] of [
      ['demo', 'demo'],
      ['openai/gpt-5', 'gpt-5'],
      ['mine/meta/llama', 'meta/llama'],
    ] as const) {
      const chosen = await chooseModel(model, { openai: { apiKey: 'k' }, mine: { baseURL: 'http://127.0.0.1:1' } });
      const found = typeof chosen.model === 'string' ? chosen.model : chosen.model.modelId;
      assert.deepEqual([chosen.name, found], [model, id]);
    }
  });
});

describe('a model that fails', () => {
  let box: SuiteBox;
  before(async () => {
    box = await openSuiteBox();
  });
  after(() => box.close());

  test('ends the turn with model-unusable when its provider is unknown', async () => {
    const { reason, errors } = await runTurn(modelRuntime(), box, 'hi', { model: 'unknown/model' });
    assert.deepEqual([reason, errors[0]?.code], ['error', 'model-unusable']);
  });

  for (const [status, code, isRemembered] of [
    [400, 'model-refused', false],
    [401, 'model-unauthorized', true],
    [529, 'model-overloaded', true],
    [500, 'model-failed', true],
  ] as const) {
    test(`${status} is ${code}, and the question is ${isRemembered ? 'remembered' : 'dropped from the memory'}`, async (t) => {
      const api = await startMessagesServer(() => ({ status, message: 'no answer' }));
      t.after(() => api.close());
      const runtime = modelRuntime({
        model: 'anthropic/x',
        providers: { anthropic: { apiKey: 'k', baseURL: api.url + '/v1' } },
      });
      const { errors, memory } = await runTurn(runtime, box, 'is anybody there');
      assert.equal(errors[0]?.code, code);
      assert.match(errors[0].message, new RegExp(`anthropic/x answered ${status}: no answer`));
      assert.equal(JSON.stringify(memory).includes('is anybody there'), isRemembered);
      assert.equal(api.requests.length, status >= 500 ? 3 : 1, 'temporary failures are retried');
    });
  }

  test('is retried when the API is overloaded for a moment', async (t) => {
    const api = await startMessagesServer(() =>
      api.requests.length === 1 ? { status: 529, message: 'overloaded' } : [{ type: 'text', text: 'back' }],
    );
    t.after(() => api.close());
    const runtime = modelRuntime({
      model: 'anthropic/x',
      providers: { anthropic: { apiKey: 'k', baseURL: api.url + '/v1' } },
    });
    const { text, reason } = await runTurn(runtime, box, 'hello');
    assert.deepEqual([text, reason], ['back', 'end']);
  });
});

describe('optional packages', () => {
  const run = promisify(execFile);
  const runtime = fileURLToPath(new URL('../model-runtime.ts', import.meta.url));
  /** Returns the source of a module hook that hides these packages and prints a line when the AI SDK is loaded. */
  const hidePackages = (missing: RegExp): string => `import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (name === 'ai') console.log('loading the AI SDK');
      if (${missing}.test(name) && !context.parentURL?.includes('node_modules'))
        throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(name, context);
    } });`;
  async function outputOf(model: string, missing: RegExp): Promise<string> {
    const program = `const { modelRuntime } = await import(${JSON.stringify(runtime)});
      const tools = { list: () => [], call: async () => ({}), begin: async () => ({ allowed: false, reason: '' }) };
      const none = () => [];
      const serverContent = { resources: none, resourceTemplates: none, prompts: none };
      const turn = { serverContent, session: 's', content: 'hello', cwd: '/', model: ${JSON.stringify(model)}, permissionMode: 'default',
        signal: new AbortController().signal, tools, ask: async () => undefined };
      const events = modelRuntime().turn(turn);
      console.log('the first turn');
      for await (const event of events) console.log(event.text ?? event.message ?? '');`;
    const env = { PATH: process.env['PATH'], OPENAI_API_KEY: 'k' };
    const hooks = `data:text/javascript,${encodeURIComponent(hidePackages(missing))}`;
    const args = ['--import', hooks, '--input-type=module', '-e', program];
    return (await run(process.execPath, args, { env, timeout: 60_000 })).stdout;
  }

  test('a missing package is reported with its install command', async () => {
    const install = ': npm install ai @ai-sdk/openai\n';
    const one = await outputOf('openai/gpt-5', /^@ai-sdk\/(openai|anthropic|google)/);
    assert.ok(one.includes(`needs the package @ai-sdk/openai, which is not installed${install}`), one);
    const other = await outputOf('openai/gpt-5', /^ai$/);
    assert.ok(other.includes(`needs the package ai, which is not installed${install}`), other);
  });

  test('the demo model needs no package', async () => {
    const text = await outputOf('demo', /^(ai$|@ai-sdk\/)/);
    assert.match(text.replaceAll('\n', ''), /I am the demo model/);
  });

  test('the AI SDK is loaded only with the first turn', async () => {
    const [first, ...rest] = (await outputOf('openai/gpt-5', /^@ai-sdk\//)).split('\n');
    assert.equal(first, 'the first turn');
    assert.equal(rest[0], 'loading the AI SDK');
  });
});
