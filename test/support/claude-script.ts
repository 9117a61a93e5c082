import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClaudeCodeOptions } from '../../src/runtimes/claude/shared/claude-options.ts';
import type { ScriptedRuntime, StartScripted } from '../../src/runtimes/runtime.conformance.ts';
import type { Runtime } from '../../src/runtimes/runtime.ts';
import { claudeEnvironment } from './claude.ts';
import { heardInMessages, startMessagesServer } from './messages-server.ts';

/** A runtime of the real Claude Code, with a scripted model and an empty home directory. */
export function scriptedClaude(make: (options: ClaudeCodeOptions) => Runtime): StartScripted {
  return async (script): Promise<ScriptedRuntime> => {
    const home = mkdtempSync(join(tmpdir(), 'signalbox-claude-'));
    const api = await startMessagesServer((request) => script(heardInMessages(request)));
    return {
      runtime: make({ env: claudeEnvironment(api.url, home) }),
      async close() {
        await api.close();
        rmSync(home, { recursive: true, force: true });
      },
    };
  };
}
