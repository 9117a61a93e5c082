import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Options, SDKMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { findExecutable } from '../../src/runtimes/claude/shared/installation.ts';
import { claudeEnvironment, openPrompt } from '../../test/support/runtime/claude.ts';
import { startMessagesServer } from '../../test/support/model/messages-server.ts';
import type { ModelBlock } from '../../test/support/model/model-script.ts';

/** What a query needs to run against a model that does what it is told, in a home of its own. */
export interface ScriptedClaude {
  readonly options: Pick<Options, 'env' | 'cwd' | 'settingSources'>;
  /** The names of the tools that the model was shown. */
  shown(): readonly string[];
  /** A prompt that stays open until the result is heard: Claude's callbacks end with it. */
  prompt(content: string): AsyncIterable<SDKUserMessage>;
  hear(message: SDKMessage): void;
  close(): Promise<void>;
}

/** Claude Code: `claude` on the PATH, or the one that the Claude Agent SDK brings along. */
export function claudeProgram(): string {
  return findExecutable() ?? 'claude';
}

/** Starts a model that makes these calls in its first answer, and is done in its second. */
export async function scriptedClaude(calls: readonly ModelBlock[]): Promise<ScriptedClaude> {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-example-'));
  const api = await startMessagesServer(({ messages }) =>
    JSON.stringify(messages.at(-1)).includes('tool_result') ? [{ type: 'text', text: 'Done.' }] : calls,
  );
  let end = (): void => undefined;
  return {
    shown: () => api.requests.flatMap(({ tools = [] }) => tools.map(({ name }) => name)),
    options: { env: claudeEnvironment(api.url, home), cwd: home, settingSources: [] },
    prompt(content) {
      const held = openPrompt(content);
      end = () => held.end();
      return held.messages;
    },
    hear(message) {
      if (message.type === 'result') end();
    },
    async close() {
      await api.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
