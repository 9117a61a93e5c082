import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Progress } from '../../../core/calls/call.ts';
import type { ToolContext } from '../../../core/tools/tool-context.ts';
import { newCallId } from '../../../core/identifiers.ts';
import type { JsonValue } from '../../../core/json/json.ts';
import { createIsolate, type Isolate, type IsolateOptions } from './isolate.ts';

declare const missing: string;

const folder = await mkdtemp(join(tmpdir(), 'signalbox-isolate-'));
after(() => rm(folder, { recursive: true, force: true }));

function contextWith(parts: Partial<ToolContext> = {}, state = new Map<string, JsonValue>()): ToolContext {
  return {
    callId: newCallId(),
    session: 'session-1',
    principal: { id: 'anna', kind: 'human' },
    signal: new AbortController().signal,
    deadline: Date.now() + 60_000,
    progress() {},
    state: {
      get: (key) => state.get(key),
      set: (key, value) => void state.set(key, value),
      delete: (key) => void state.delete(key),
      keys: () => [...state.keys()],
    },
    ...parts,
  };
}

function isolateFor(
  t: TestContext,
  handler: (...args: never[]) => unknown,
  options: Partial<IsolateOptions> = {},
): Isolate {
  const isolate = createIsolate({ tool: 'probe', handler, isolate: true, ...options });
  t.after(() => isolate.close());
  return isolate;
}

/** Returns the number of live isolate threads. Outside Linux, only busy threads are visible. */
async function liveWorkers(): Promise<number> {
  if (process.platform !== 'linux')
    return process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
  const threads = await readdir('/proc/self/task');
  const names = threads.map((thread) => readFile(`/proc/self/task/${thread}/comm`, 'utf8').catch(() => ''));
  return (await Promise.all(names)).filter((name) => name.startsWith('isolate ')).length;
}

/** Waits until no worker is alive; the test runner enforces the time limit. */
async function allWorkersEnd(): Promise<void> {
  while ((await liveWorkers()) > 0) await delay(20);
}

async function moduleFile(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return pathToFileURL(path).href;
}

test('an endless loop is killed when the signal aborts, while timers of the main thread run', async (t) => {
  const isolate = isolateFor(t, () => {
    for (;;);
  });
  const controller = new AbortController();
  const call = assert.rejects(isolate.run({}, contextWith({ signal: controller.signal })), { message: 'out of time' });
  // None of these timers would fire while a loop ran in this thread.
  for (let tick = 0; tick < 15; tick += 1) await delay(10);
  controller.abort(new Error('out of time'));
  await call;
  await isolate.close();
  assert.equal(await liveWorkers(), 0);
});

test('after a kill the next call runs in a new worker', async (t) => {
  const isolate = isolateFor(
    t,
    ({ loop }: { loop: boolean }) => {
      for (;;) if (!loop) return 'alive';
    },
    { maxWorkers: 1 },
  );
  const killed = isolate.run({ loop: true }, contextWith({ signal: AbortSignal.timeout(200) }));
  const next = isolate.run({ loop: false }, contextWith());
  await assert.rejects(killed, { name: 'TimeoutError' });
  assert.equal(await next, 'alive');
});

test('a call whose signal has aborted does not start a worker', async (t) => {
  const isolate = isolateFor(t, () => 1);
  await assert.rejects(isolate.run({}, contextWith({ signal: AbortSignal.abort(new Error('too late')) })), /too late/);
  assert.equal(await liveWorkers(), 0);
});

test('up to maxWorkers calls run at the same time, and the others wait', async (t) => {
  const running = await mkdtemp(join(folder, 'running-'));
  const isolate = isolateFor(
    t,
    async ({ directory }: { directory: string }) => {
      const { existsSync, readdirSync, rmSync, writeFileSync } = await import('node:fs');
      const { threadId } = await import('node:worker_threads');
      const own = `${directory}/run-${threadId}`;
      writeFileSync(own, '');
      // The first call waits until another one runs at the same time, however long that worker takes to start.
      let max = 0;
      do {
        max = Math.max(max, readdirSync(directory).filter((name) => name.startsWith('run-')).length);
        if (max > 1) writeFileSync(`${directory}/together`, '');
        await new Promise((resolve) => setTimeout(resolve, 5));
      } while (!existsSync(`${directory}/together`));
      rmSync(own);
      return { threadId, max };
    },
    { maxWorkers: 2 },
  );
  const results = await Promise.all(
    Array.from({ length: 6 }, () => isolate.run({ directory: running }, contextWith())),
  );
  const calls = results as { threadId: number; max: number }[];
  assert.equal(new Set(calls.map(({ threadId }) => threadId)).size, 2);
  assert.equal(Math.max(...calls.map(({ max }) => max)), 2);
});

test('a worker is reused', async (t) => {
  const isolate = isolateFor(t, async () => (await import('node:worker_threads')).threadId, { maxWorkers: 1 });
  const started = performance.now();
  const first = await isolate.run({}, contextWith());
  const cold = performance.now() - started;
  const times: number[] = [];
  for (let round = 0; round < 200; round++) {
    const from = performance.now();
    assert.equal(await isolate.run({}, contextWith()), first);
    times.push(performance.now() - from);
  }
  assert.equal(await liveWorkers(), 1);
  const median = times.toSorted((a, b) => a - b)[100] ?? Infinity;
  t.diagnostic(`first call ${cold.toFixed(1)} ms, second ${times[0]?.toFixed(2)} ms, median ${median.toFixed(3)} ms`);
});

test('an idle worker is ended after idleMs', async (t) => {
  const isolate = isolateFor(t, async () => (await import('node:worker_threads')).threadId, { idleMs: 100 });
  const first = await isolate.run({}, contextWith());
  assert.equal(await isolate.run({}, contextWith()), first);
  await allWorkersEnd();
  assert.notEqual(await isolate.run({}, contextWith()), first);
});

test('a waiting call whose signal aborts leaves the queue and never runs', async (t) => {
  const isolate = isolateFor(
    t,
    async ({ ms }: { ms: number }, context: ToolContext) => {
      context.progress({ progress: 1 });
      await new Promise((resolve) => setTimeout(resolve, ms));
      return ms;
    },
    { maxWorkers: 1 },
  );
  const controller = new AbortController();
  let ran = false;
  const busy = isolate.run({ ms: 300 }, contextWith());
  const waiting = isolate.run({ ms: 1 }, contextWith({ signal: controller.signal, progress: () => (ran = true) }));
  const last = isolate.run({ ms: 2 }, contextWith());
  setTimeout(() => controller.abort(new Error('never mind')), 50);
  await assert.rejects(waiting, /never mind/);
  assert.deepEqual(await Promise.all([busy, last]), [300, 2]);
  assert.equal(ran, false);
});

test('progress reaches the caller in order, all of it before the result', async (t) => {
  const isolate = isolateFor(t, (_args: object, context: ToolContext) => {
    for (let step = 0; step < 5000; step++) context.progress({ progress: step, total: 5000 });
    return 'done';
  });
  const seen: Progress[] = [];
  assert.equal(await isolate.run({}, contextWith({ progress: (progress) => void seen.push(progress) })), 'done');
  assert.deepEqual(
    seen.map(({ progress }) => progress),
    Array.from({ length: 5000 }, (_, step) => step),
  );
});

test('a loop that reports progress endlessly does not fill the memory of the main thread, and can be killed', async (t) => {
  const isolate = isolateFor(t, (_args: object, context: ToolContext) => {
    for (let step = 0; ; step++) context.progress({ progress: step, message: 'x'.repeat(10_000) });
  });
  const before = process.memoryUsage.rss();
  const progress = (): void => {
    for (const end = performance.now() + 0.5; performance.now() < end;);
  };
  const call = isolate.run({}, contextWith({ signal: AbortSignal.timeout(1000), progress }));
  await assert.rejects(call, { name: 'TimeoutError' });
  assert.ok(process.memoryUsage.rss() - before < 300e6);
});

test('a listener that throws ends its call, not the process', async (t) => {
  const isolate = isolateFor(t, (_args: object, context: ToolContext) => {
    context.progress({ progress: 1 });
    for (;;);
  });
  const progress = (): void => {
    throw new Error('listener broke');
  };
  await assert.rejects(isolate.run({}, contextWith({ progress })), /listener broke/);
});

test('the handler receives its call, and reads and changes the state of the session', async (t) => {
  const isolate = isolateFor(t, ({ fail }: { fail: boolean }, context: ToolContext) => {
    const count = Number(context.state.get('count') ?? 0);
    context.state.set('count', count + 1);
    context.state.set('seen', { by: [context.principal.id] });
    context.state.delete('old');
    if (fail) throw new Error('no');
    const { callId, session, deadline, signal } = context;
    return { callId, session, deadline, aborted: signal.aborted, keys: context.state.keys() };
  });
  const state = new Map<string, JsonValue>([
    ['count', 41],
    ['old', true],
  ]);
  const context = contextWith({}, state);
  const { callId, session, deadline } = context;
  const expected = { callId, session, deadline, aborted: false, keys: ['count', 'seen'] };
  assert.deepEqual(await isolate.run({ fail: false }, context), expected);
  const changed = { count: 42, seen: { by: ['anna'] } };
  assert.deepEqual(Object.fromEntries(state), changed);
  await assert.rejects(isolate.run({ fail: true }, context));
  assert.deepEqual(Object.fromEntries(state), changed, 'a failed handler changes nothing');
});

test('createIsolate rejects a path instead of a module URL', () => {
  assert.throws(() => createIsolate({ tool: 'probe', handler: () => 1, isolate: './tools.ts' }), {
    code: 'tool-invalid',
    message: /"\.\/tools\.ts" is not the URL of a module/,
  });
});

test('source form: a variable from outside fails with a hint', async (t) => {
  const isolate = isolateFor(t, () => missing);
  await assert.rejects(isolate.run({}, contextWith()), {
    name: 'ReferenceError',
    message:
      /^missing is not defined\. An isolated handler cannot use variables from outside.*isolate: import\.meta\.url/,
  });
  const importing = isolateFor(t, ({ path }: { path: string }) => import(path));
  await assert.rejects(
    importing.run({ path: './neighbour.ts' }, contextWith()),
    /isolated:probe.*An isolated handler cannot use variables from outside/s,
  );
});

const moduleText = `
  import { createIsolate } from ${JSON.stringify(new URL('./isolate.ts', import.meta.url).href)};
  import { workerData } from 'node:worker_threads';
  const outside: number = 40;
  export const probe = { name: 'probe', run: ({ n }: { n: number }) => outside + n + Number(workerData?.signalboxIsolate) };
  const again = createIsolate({ tool: 'again', handler: () => 'here', isolate: import.meta.url });
  export const tools = [{ name: 'again', run: (args: unknown, context: never) => again.run(args, context) }];
`;

test('module form: a TypeScript module is imported, and isolating again inside starts no further worker', async (t) => {
  const url = await moduleFile('tools.ts', moduleText);
  for (const [tool, result] of Object.entries({ probe: 42, again: 'here' })) {
    const isolate = isolateFor(t, () => assert.fail('ran in the main thread'), { tool, isolate: url });
    assert.equal(await isolate.run({ n: 1 }, contextWith()), result);
  }
  assert.equal(await liveWorkers(), 2);
});

test('module form: the error for a missing tool names module and tool', async (t) => {
  const url = await moduleFile('other.ts', 'export const nothing = 1;');
  const isolate = isolateFor(t, () => 1, { isolate: url });
  await assert.rejects(isolate.run({}, contextWith()), /other\.ts exports no tool "probe"/);
});

test('module form: a module that failed to load is imported again by the next call', async (t) => {
  const isolate = isolateFor(t, () => 1, { isolate: await moduleFile('late.ts', 'throw new Error("not yet");') });
  await assert.rejects(isolate.run({}, contextWith()), /not yet/);
  await moduleFile('late.ts', 'export const probe = { run: () => 7 };');
  assert.equal(await isolate.run({}, contextWith()), 7);
});

test('process.exit in a handler fails its call only', async (t) => {
  const isolate = isolateFor(t, ({ code }: { code: number }) => (code > 0 ? process.exit(code) : 'fine'));
  await assert.rejects(
    isolate.run({ code: 3 }, contextWith()),
    /"probe" ended its own worker: process\.exit, with code 3/,
  );
  assert.equal(await isolate.run({ code: 0 }, contextWith()), 'fine');
});

test('a worker is killed when work that a handler left behind exhausts memory, and the process survives', async (t) => {
  const handler = (): string => {
    const retained: unknown[] = [];
    setImmediate(() => {
      for (;;) retained.push(Array(1e6).fill(1.1));
    });
    return 'left';
  };
  const isolate = isolateFor(t, handler, { memoryMb: 64 });
  assert.equal(await isolate.run({}, contextWith()), 'left');
  await allWorkersEnd();
});

test('an uncaught error in the worker fails its call only', async (t) => {
  const isolate = isolateFor(t, () => {
    setTimeout(() => {
      throw new RangeError('from a timer');
    });
    return new Promise(() => {});
  });
  await assert.rejects(isolate.run({}, contextWith()), /"probe" died of an uncaught error: from a timer/);
});

test('an error keeps its name, message and stack, and has no cause', async (t) => {
  const isolate = isolateFor(t, function thrower() {
    throw new RangeError('too far', { cause: 'hidden' });
  });
  await assert.rejects(isolate.run({}, contextWith()), (error) => {
    assert.ok(error instanceof Error);
    assert.deepEqual([error.name, error.message, 'cause' in error], ['RangeError', 'too far', false]);
    assert.match(error.stack ?? '', /RangeError: too far\n\s+at thrower \(isolated:probe:/);
    return true;
  });
});

test('a handler may throw any value', async (t) => {
  const isolate = isolateFor(t, ({ kind }: { kind: string }) => {
    throw kind === 'text'
      ? 'plain text'
      : kind === 'function'
        ? () => 1
        : {
            get name() {
              throw new Error();
            },
          };
  });
  await assert.rejects(isolate.run({ kind: 'text' }, contextWith()), (thrown) => thrown === 'plain text');
  await assert.rejects(isolate.run({ kind: 'function' }, contextWith()), /a function was thrown: \(\) => 1/);
  await assert.rejects(isolate.run({ kind: 'hostile' }, contextWith()), Error);
});

test('a result that cannot be passed between threads fails with the reason', async (t) => {
  const isolate = isolateFor(t, () => ({ call: () => 1 }));
  await assert.rejects(
    isolate.run({}, contextWith()),
    /the result of an isolated handler cannot be passed between threads: .*could not be cloned/s,
  );
  const streaming = isolateFor(t, async function* () {
    yield 1;
  });
  await assert.rejects(streaming.run({}, contextWith()), /cannot return an async iterable/);
});

test('arguments that cannot be passed between threads fail with the reason, and the worker stays usable', async (t) => {
  const isolate = isolateFor(t, async () => (await import('node:worker_threads')).threadId);
  const first = await isolate.run({}, contextWith());
  await assert.rejects(
    isolate.run({ call: () => 1 }, contextWith()),
    /arguments of the isolated tool "probe" cannot be passed/,
  );
  assert.equal(await isolate.run({}, contextWith()), first);
});

test('cyclic and BigInt results are passed on', async (t) => {
  const isolate = isolateFor(t, () => {
    const value: { big: bigint; self?: unknown } = { big: 2n ** 64n };
    value.self = value;
    return value;
  });
  const result = await isolate.run({}, contextWith());
  assert.ok(typeof result === 'object' && result !== null && 'self' in result && 'big' in result);
  assert.equal(result.self, result);
  assert.equal(result.big, 2n ** 64n);
});

test('close rejects running, waiting and later calls', async () => {
  const isolate = createIsolate({
    tool: 'probe',
    handler: () => {
      for (;;);
    },
    isolate: true,
    maxWorkers: 1,
  });
  const calls = [isolate.run({}, contextWith()), isolate.run({}, contextWith())];
  const ends = Promise.allSettled(calls);
  await delay(150);
  await isolate.close();
  await isolate.close();
  for (const end of [...(await ends), ...(await Promise.allSettled([isolate.run({}, contextWith())]))]) {
    assert.equal(end.status, 'rejected');
    assert.match(String(end.reason), /The tool "probe" was closed/);
  }
  assert.equal(await liveWorkers(), 0);
});

test('close does not wait for a native call that cannot be interrupted', async (t) => {
  const isolate = isolateFor(t, async ({ fifo }: { fifo: string }, context: ToolContext) => {
    const { readFileSync } = await import('node:fs');
    context.progress({ progress: 1 });
    readFileSync(fifo);
  });
  const fifo = join(folder, 'fifo');
  execFileSync('/usr/bin/mkfifo', [fifo]);
  const started = Promise.withResolvers<void>();
  const call = isolate.run({ fifo }, contextWith({ progress: () => started.resolve() }));
  const end = assert.rejects(call, /was closed/);
  await started.promise;
  await delay(300);
  // The call blocks until the other end is opened, which happens only after this.
  await isolate.close();
  await end;
  assert.equal(await liveWorkers(), 1);
  // The terminating thread may close its end before the text arrives.
  await writeFile(fifo, 'go on').catch((error: NodeJS.ErrnoException) => assert.equal(error.code, 'EPIPE'));
  while ((await liveWorkers()) > 0) await delay(50);
});

test('a handler cannot read secrets from the environment', async (t) => {
  process.env['SIGNALBOX_TEST_SECRET'] = 'secret';
  t.after(() => delete process.env['SIGNALBOX_TEST_SECRET']);
  const isolate = isolateFor(t, () => Object.keys(process.env));
  const names = await isolate.run({}, contextWith());
  assert.ok(Array.isArray(names) && names.every((name) => ['LANG', 'LC_ALL', 'NODE_ENV', 'TZ'].includes(String(name))));
});

test('many kills leave no worker, handle or listener behind', async (t) => {
  const isolate = createIsolate({
    tool: 'probe',
    handler: (_args: object, context: ToolContext) => {
      context.progress({ progress: 1 });
      for (;;);
    },
    isolate: true,
    maxWorkers: 4,
  });
  const shared = new AbortController();
  const started = performance.now();
  const kill = async (): Promise<void> => {
    const controller = new AbortController();
    const signal = AbortSignal.any([shared.signal, controller.signal]);
    await assert.rejects(
      isolate.run({}, contextWith({ signal, progress: () => controller.abort(new Error('killed')) })),
      /killed/,
    );
  };
  for (let round = 0; round < 10; round++) await Promise.all([kill(), kill(), kill(), kill()]);
  t.diagnostic(`${((performance.now() - started) / 40).toFixed(1)} ms for each start and kill, four at a time`);
  await isolate.close();
  await allWorkersEnd();
  assert.ok(process.stderr.listenerCount('error') < 5 && process.stderr.listenerCount('drain') < 5);
});
