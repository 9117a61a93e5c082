import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import type { ClaudeCodeOptions } from '../../../src/runtimes/claude/shared/claude-options.ts';
import type { ScriptedRuntime, StartScripted } from '../../../src/runtimes/runtime.conformance.ts';
import type { Runtime } from '../../../src/runtimes/runtime.ts';
import { startMessagesServer, toModelInput } from '../model/messages-server.ts';

/** Returns the environment in which the real Claude CLI uses a scripted Messages API and nothing else of this machine. */
export function claudeEnvironment(baseUrl: string, home: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    CLAUDE_CONFIG_DIR: home,
    ANTHROPIC_BASE_URL: baseUrl,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    // The optimizing JIT does not pay off for a process that ends within a second.
    BUN_JSC_useDFGJIT: '0',
  };
}

/** Creates a prompt that stays open until `end` is called: callbacks stop working when it closes. */
export function openPrompt(content: string): { readonly messages: AsyncIterable<SDKUserMessage>; end(): void } {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  async function* messages(): AsyncGenerator<SDKUserMessage> {
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
    await ended;
  }
  return { messages: messages(), end };
}

/** Returns a starter of runtimes of the real Claude Code, with a scripted model and an empty home directory. */
export function scriptedClaude(createRuntime: (options: ClaudeCodeOptions) => Runtime): StartScripted {
  return async (script): Promise<ScriptedRuntime> => {
    const home = mkdtempSync(join(tmpdir(), 'signalbox-claude-'));
    const api = await startMessagesServer((request) => script(toModelInput(request)));
    return {
      runtime: createRuntime({ env: claudeEnvironment(api.url, home) }),
      async close() {
        await api.close();
        rmSync(home, { recursive: true, force: true });
      },
    };
  };
}
