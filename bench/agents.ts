/**
 * Measures the overhead of Signalbox for a tool call in a Claude session: the real Claude Code, with a scripted model, calls one
 * tool repeatedly. The baseline is a tool of the Agent SDK, allowed by a permission callback or automatically, without any
 * checks. Signalbox validates, decides and records each call on disk. The measured time is the time for which the model waits:
 * from its tool request to the result. All sessions are open at the same time and take turns, each with one call per round in
 * random order, so that load of the machine affects all of them equally. Also measures the memory of an idle session in the
 * server process.
 *
 *   npm run bench -- agents
 */
import { openSignalbox } from '../src/signalbox/create-signalbox.ts';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type CanUseTool,
  type Options,
  type SpawnOptions,
  createSdkMcpServer,
  query,
  tool,
} from '@anthropic-ai/claude-agent-sdk';
import * as z from 'zod';
import { contentReader } from '../src/pipeline/box-content.ts';
import { defineTool, localServer } from '../src/index.ts';
import { claudeCliRuntime } from '../src/runtimes/claude/cli/claude-cli-runtime.ts';
import { claudeRuntime } from '../src/runtimes/claude/sdk/claude-runtime.ts';
import { runtimeTools } from '../src/runtimes/runtime-tools.ts';
import type { Runtime } from '../src/runtimes/runtime.ts';
import { turnTools } from '../src/runtimes/turn-tools.ts';
import { claudeAgentOptions } from '../src/surfaces/claude/index.ts';
import { claudeEnvironment, openPrompt } from '../test/support/runtime/claude.ts';
import { idleSessions } from './support/idle-sessions.ts';
import { median, shuffled, spreadOf } from './support/measure.ts';
import { storeFigure } from './support/results.ts';
import { ScriptedCaller } from './support/scripted-caller.ts';

type Environment = ReturnType<typeof claudeEnvironment>;

const rounds = 200;
/** The first calls of a turn warm up Claude Code. */
const warmUp = 10;
/** A pause so that the work of a client after its result does not slow down the next one. */
const pauseMs = 10;
const name = 'mcp__bench__echo';

const home = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));

async function runQuery(env: Environment, options: Options): Promise<void> {
  const prompt = openPrompt('go');
  for await (const message of query({ prompt: prompt.messages, options: { ...options, env, cwd: home } }))
    if (message.type === 'result') prompt.end();
}

async function turn(runtime: Runtime): Promise<void> {
  const principal = { id: 'bench', kind: 'agent' } as const;
  const session = { session: 'bench', cwd: home, permissionMode: 'default' } as const;
  const tools = turnTools({ ...session, box, own, principal });
  const events = runtime.turn({
    ...session,
    content: 'go',
    tools,
    serverContent: contentReader(box, { session: 'bench', principal }),
    signal: new AbortController().signal,
    ask: () => Promise.resolve(undefined),
  });
  for await (const event of events) if (event.type === 'error') throw new Error(event.message);
  await runtime.close();
}

const echo = { description: 'Returns the text.', shape: { text: z.string() } };
const box = await openSignalbox({
  data: join(home, 'data'),
  servers: [
    localServer({
      name: 'bench',
      tools: [
        defineTool({
          name: 'echo',
          description: echo.description,
          input: z.object(echo.shape),
          effect: 'read',
          run: ({ text }) => text,
        }),
      ],
    }),
  ],
});
const own = runtimeTools('claude');
box.servers.add(own);

/** The options of all subjects, so that only the call path differs: Claude Code's own instructions, and streamed text. */
const commonOptions: Options = {
  settingSources: [],
  includePartialMessages: true,
  systemPrompt: { type: 'preset', preset: 'claude_code' },
};

function sdkServer(): Options {
  const run = ({ text }: { text: string }) => Promise.resolve({ content: [{ type: 'text' as const, text }] });
  const tools = [tool('echo', echo.description, echo.shape, run)];
  return { mcpServers: { bench: createSdkMcpServer({ name: 'bench', tools, alwaysLoad: true }) } };
}

const allowAll: CanUseTool = (_, input) => Promise.resolve({ behavior: 'allow', updatedInput: input });

/**
 * Starts Claude Code in a separate process session, like the runtimes, to measure only the cost of that: Linux schedules it
 * separately.
 */
function startInOwnSession({ command, args, cwd, env }: SpawnOptions): ChildProcessWithoutNullStreams {
  const child = spawn(command, args, { env, detached: true, ...(cwd === undefined ? {} : { cwd }) });
  child.stderr.resume();
  return child;
}

const subjects: readonly { readonly name: string; run(env: Environment): Promise<void> }[] = [
  {
    name: 'bare createSdkMcpServer tool, permission callback says yes',
    run: (env) => runQuery(env, { ...commonOptions, ...sdkServer(), canUseTool: allowAll }),
  },
  {
    name: 'bare createSdkMcpServer tool, auto-approved',
    run: (env) => runQuery(env, { ...commonOptions, ...sdkServer(), allowedTools: [name] }),
  },
  {
    name: 'the first, Claude Code in a session of its own',
    run: (env) =>
      runQuery(env, {
        ...commonOptions,
        ...sdkServer(),
        canUseTool: allowAll,
        spawnClaudeCodeProcess: startInOwnSession,
      }),
  },
  { name: 'Signalbox, runtime claude', run: (env) => turn(claudeRuntime({ env })) },
  { name: 'Signalbox, runtime claude-cli', run: (env) => turn(claudeCliRuntime({ env })) },
  {
    name: 'Signalbox, claudeAgentOptions',
    run: (env) => runQuery(env, { ...commonOptions, ...claudeAgentOptions(box) }),
  },
];

const callers = subjects.map(() => new ScriptedCaller(name));
const turns: Promise<void>[] = [];
for (const [index, caller] of callers.entries()) {
  const running = subjects[index]?.run(claudeEnvironment(await caller.open(), home));
  if (running === undefined) continue;
  turns.push(running);
  await Promise.race([caller.waitForRequest(), running]);
}
const waits = subjects.map((): number[] => []);
const cpu = subjects.map((): number[] => []);
for (let round = -warmUp; round < rounds; round++) {
  for (const index of shuffled([...callers.keys()])) {
    await wait(pauseMs);
    const before = process.cpuUsage();
    const waitMs = await callers[index]?.call();
    const { user, system } = process.cpuUsage(before);
    if (round < 0 || waitMs === undefined) continue;
    waits[index]?.push(waitMs);
    cpu[index]?.push((user + system) / 1000);
  }
}
for (const caller of callers) caller.finish();
await Promise.all(turns);
await Promise.all(callers.map((caller) => caller.close()));
await box.close();
rmSync(home, { recursive: true, force: true });

const base = waits[0] ?? [];
const bars = subjects.map((subject, index) => ({
  name: subject.name,
  value: median(waits[index] ?? []),
  spread: spreadOf(waits[index] ?? []),
}));
storeFigure({ title: 'One call inside a Claude session', unit: 'ms, p50', isMoreBetter: false, bars });
console.log(`\nOne call inside a Claude session, ${rounds} calls in each of the sessions\n`);
console.log("| | p50 ms | against the first, median over the rounds | this process' CPU ms |");
console.log('|---|---|---|---|');
for (const [index, subject] of subjects.entries()) {
  const mine = waits[index] ?? [];
  const added = median(mine.map((each, round) => each - (base[round] ?? Number.NaN)));
  const against = index === 0 ? '' : `${added >= 0 ? '+' : ''}${added.toFixed(2)} ms`;
  console.log(`| ${subject.name} | ${median(mine).toFixed(2)} | ${against} | ${median(cpu[index] ?? []).toFixed(2)} |`);
}

const idle = await idleSessions(300, 1000);
console.log('\nAn idle session after one turn, in the server process (slope over 1,000 more sessions)\n');
console.log(`${idle.heapKb.toFixed(1)} KB of heap, ${idle.residentKb.toFixed(1)} KB of resident memory`);
