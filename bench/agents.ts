/**
 * What Signalbox adds to a tool call inside a Claude session: the real Claude Code, whose model is scripted, calls one tool
 * again and again. The bare tool of the Agent SDK is let through, by a callback as Signalbox has one or without asking, and
 * nobody looks; through Signalbox the call is validated, decided and recorded on disk. A call's time is what the model waits for: from its request to run the tool to the result.
 * And what an idle session takes in the process of the server.
 *
 *   npm run bench -- agents
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Options, createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';
import * as z from 'zod';
import { type Signalbox, createSignalbox, defineTool, localServer } from '../src/index.ts';
import { claudeCliRuntime } from '../src/runtimes/claude-cli/claude-cli-runtime.ts';
import { claudeRuntime } from '../src/runtimes/claude/claude-runtime.ts';
import { ownTools } from '../src/runtimes/own-tools.ts';
import type { Runtime } from '../src/runtimes/runtime.ts';
import { turnTools } from '../src/runtimes/turn-tools.ts';
import { claudeAgentOptions } from '../src/surfaces/claude/index.ts';
import { claudeEnvironment, heldPrompt } from '../test/support/claude.ts';
import { heardInMessages, startMessagesServer } from '../test/support/messages-server.ts';
import { idleSessions } from './support/idle-sessions.ts';
import { median } from './support/measure.ts';

const rounds = 9;
const callsPerTurn = 60;
/** The first calls of a turn warm up Claude Code. */
const warmUp = 10;
const name = 'mcp__bench__echo';

const home = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
let called = 0;
let waits: number[] = [];
let askedAt = 0;
const api = await startMessagesServer((request) => {
  const isResult = heardInMessages(request).results.length > 0;
  if (isResult) waits.push(performance.now() - askedAt);
  else called = 0;
  askedAt = performance.now();
  if (called++ === callsPerTurn) return [{ type: 'text', text: 'done' }];
  return [{ type: 'tool_use', name, input: { text: `call ${called}` } }];
});
const env = claudeEnvironment(api.url, home);

async function ask(options: Options): Promise<void> {
  const prompt = heldPrompt('go');
  for await (const message of query({ prompt: prompt.messages, options: { ...options, env, cwd: home } }))
    if (message.type === 'result') prompt.end();
}

async function turn(box: Signalbox, runtime: Runtime, own: ReturnType<typeof ownTools>): Promise<void> {
  const principal = { id: 'bench', kind: 'agent' } as const;
  const session = { session: 'bench', cwd: home, permissionMode: 'default' } as const;
  const tools = turnTools({ ...session, box, own, principal });
  const events = runtime.turn({
    ...session,
    content: 'go',
    tools,
    signal: new AbortController().signal,
    ask: () => Promise.resolve(undefined),
  });
  for await (const event of events) if (event.type === 'error') throw new Error(event.message);
}

const echo = { description: 'Says the text again.', shape: { text: z.string() } };
const box = await createSignalbox({
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
const own = ownTools('claude');
box.mount(own);
const sdk = claudeRuntime({ env });
const cli = claudeCliRuntime({ env });

/** What every subject has, so that only the way of the call differs: Claude Code's own instructions, and text in pieces. */
const alike: Options = {
  settingSources: [],
  includePartialMessages: true,
  systemPrompt: { type: 'preset', preset: 'claude_code' },
};

function bareServer(): Options {
  const run = ({ text }: { text: string }) => Promise.resolve({ content: [{ type: 'text' as const, text }] });
  const tools = [tool('echo', echo.description, echo.shape, run)];
  return { mcpServers: { bench: createSdkMcpServer({ name: 'bench', tools, alwaysLoad: true }) } };
}

const subjects: readonly { readonly name: string; run(): Promise<void> }[] = [
  {
    name: 'bare createSdkMcpServer tool, permission callback says yes',
    run: () =>
      ask({
        ...alike,
        ...bareServer(),
        canUseTool: (_, input) => Promise.resolve({ behavior: 'allow', updatedInput: input }),
      }),
  },
  {
    name: 'bare createSdkMcpServer tool, auto-approved',
    run: () => ask({ ...alike, ...bareServer(), allowedTools: [name] }),
  },
  { name: 'Signalbox, runtime claude', run: () => turn(box, sdk, own) },
  { name: 'Signalbox, runtime claude-cli', run: () => turn(box, cli, own) },
  { name: 'Signalbox, claudeAgentOptions', run: () => ask({ ...alike, ...claudeAgentOptions(box) }) },
];

const medians = subjects.map((): number[] => []);
for (let round = 0; round < rounds; round++) {
  for (const [index, subject] of subjects.entries()) {
    waits = [];
    await subject.run();
    if (waits.length !== callsPerTurn) throw new Error(`${subject.name}: ${waits.length} of ${callsPerTurn} calls ran`);
    medians[index]?.push(median(waits.slice(warmUp)));
  }
}
const base = medians[0] ?? [];
console.log(`\nOne call inside a Claude session: ${rounds} turns of ${callsPerTurn} calls each, in turn\n`);
console.log('| | p50 ms | against the first, median over the rounds |');
console.log('|---|---|---|');
for (const [index, subject] of subjects.entries()) {
  const mine = medians[index] ?? [];
  const added = median(mine.map((each, round) => each - (base[round] ?? Number.NaN)));
  console.log(
    `| ${subject.name} | ${median(mine).toFixed(2)} | ${index === 0 ? '' : `${added >= 0 ? '+' : ''}${added.toFixed(2)} ms`} |`,
  );
}

await Promise.all([sdk.close(), cli.close()]);
await box.close();
await api.close();
rmSync(home, { recursive: true, force: true });

const idle = await idleSessions(300, 1000);
console.log('\nAn idle session that took a turn, in the process of the server (slope over 1,000 more)\n');
console.log(`${idle.heapKb.toFixed(1)} KB of heap, ${idle.residentKb.toFixed(1)} KB of resident memory`);
