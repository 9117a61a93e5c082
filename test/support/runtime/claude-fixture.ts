import type { InternalSignalbox } from '../../../src/signalbox/internal-signalbox.ts';
import { openSignalbox } from '../../../src/signalbox/create-signalbox.ts';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import type { Approve } from '../../../src/core/calls/approval.ts';
import type { ClaudeCodeOptions } from '../../../src/runtimes/claude/shared/claude-options.ts';
import { type RuntimeTools, runtimeTools } from '../../../src/runtimes/runtime-tools.ts';
import type { Runtime } from '../../../src/runtimes/runtime.ts';
import { type ToolInvoked, defineTool, localServer } from '../../../src/index.ts';
import { claudeEnvironment } from './claude.ts';
import { type MessagesServer, toModelInput, startMessagesServer } from '../model/messages-server.ts';
import type { ScriptedInput, ModelBlock } from '../model/model-script.ts';
import { type TurnResult, type TurnOptions, runTurn } from './run-turn.ts';

/** The real Claude Code in a separate directory, with a box and a scripted model. */
export interface ClaudeFixture {
  readonly box: InternalSignalbox;
  readonly own: RuntimeTools;
  readonly api: MessagesServer;
  /** The working directory of turns. */
  readonly workspace: string;
  /** Answers approval requests. */
  approve: Approve;
  script: (input: ScriptedInput) => readonly ModelBlock[];
  /** Makes the model request these calls and then return their results as text. */
  calls(...calls: readonly (readonly [tool: string, input: object])[]): void;
  turn(content: string, options?: TurnOptions): Promise<TurnResult>;
  /** Returns the calls of a session in the journal. */
  invoked(session: string): Promise<readonly ToolInvoked[]>;
  close(): Promise<void>;
}

export async function openClaudeFixture(
  createRuntime: (options: ClaudeCodeOptions, box: InternalSignalbox) => Runtime,
): Promise<ClaudeFixture> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-claude-')));
  const [home, workspace] = [join(root, 'home'), join(root, 'workspace')];
  for (const directory of [home, workspace]) mkdirSync(directory);
  const api = await startMessagesServer((request) => fixture.script(toModelInput(request)));
  const own = runtimeTools('claude');
  const options: ClaudeCodeOptions = { env: claudeEnvironment(api.url, home) };
  const slow = defineTool({
    name: 'slow',
    description: 'Takes longer than it may.',
    input: z.object({}),
    effect: 'read',
    timeoutMs: 50,
    run: () => new Promise(() => undefined),
  });
  const box = await openSignalbox({
    servers: [own, localServer({ name: 'local', tools: [slow] })],
    approve: (request) => fixture.approve(request),
    builtin: { port: 4242 },
  });
  const runtime = createRuntime(options, box);
  const fixture: ClaudeFixture = {
    box,
    own,
    api,
    workspace,
    approve: () => ({ allow: false, reason: 'the test expects no approval request' }),
    script: () => [{ type: 'text', text: 'not in the script' }],
    calls(...calls) {
      const blocks = calls.map(([name, input]): ModelBlock => ({ type: 'tool_use', name, input }));
      fixture.script = ({ results }) =>
        results.length < calls.length
          ? blocks
          : [{ type: 'text', text: `heard: ${results.map((result) => result.text).join(' | ')}` }];
    },
    turn: (content, turnOptions = {}) => runTurn(runtime, fixture, content, { cwd: workspace, ...turnOptions }),
    async invoked(session) {
      const { items } = await box.journal.calls({ session });
      return items.filter((item) => item.type === 'ToolInvoked');
    },
    async close() {
      await runtime.close();
      await api.close();
      await box.close({ graceMs: 0 });
      rmSync(root, { recursive: true, force: true });
    },
  };
  return fixture;
}
