import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Options, SDKMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { findExecutable } from '../../src/runtimes/claude/shared/installation.ts';
import { claudeEnvironment, openPrompt } from '../../test/support/runtime/claude.ts';
import { startMessagesServer } from '../../test/support/model/messages-server.ts';
import type { ModelBlock } from '../../test/support/model/model-script.ts';

/** The settings of a query with a scripted model, in a separate home directory. */
export interface ScriptedClaude {
  readonly options: Pick<Options, 'env' | 'cwd' | 'settingSources'>;
  /** Returns the names of the tools that the model was offered. */
  offeredTools(): readonly string[];
  /** Creates a prompt that stays open until the result arrives, because Claude's callbacks end with the prompt. */
  prompt(content: string): AsyncIterable<SDKUserMessage>;
  /** Closes the prompt when the message is the result. */
  onMessage(message: SDKMessage): void;
  close(): Promise<void>;
}

/** Returns the program of Claude Code: `claude` on the PATH, or the one that the Claude Agent SDK includes. */
export function claudeProgram(): string {
  return findExecutable() ?? 'claude';
}

/** Starts a model that makes these calls in its first response, and is done in its second. */
export async function scriptedClaude(calls: readonly ModelBlock[]): Promise<ScriptedClaude> {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-example-'));
  const api = await startMessagesServer(({ messages }) =>
    JSON.stringify(messages.at(-1)).includes('tool_result') ? [{ type: 'text', text: 'Done.' }] : calls,
  );
  let end = (): void => undefined;
  return {
    offeredTools: () => api.requests.flatMap(({ tools = [] }) => tools.map(({ name }) => name)),
    options: { env: claudeEnvironment(api.url, home), cwd: home, settingSources: [] },
    prompt(content) {
      const open = openPrompt(content);
      end = () => open.end();
      return open.messages;
    },
    onMessage(message) {
      if (message.type === 'result') end();
    },
    async close() {
      await api.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
