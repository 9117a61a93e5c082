import { lazyRuntime } from '../runtimes/lazy-runtime.ts';
import type { ClaudeCodeOptions } from '../runtimes/claude/shared/claude-options.ts';
import type { ModelOptions } from '../runtimes/model/model-options.ts';
import type { Runtime } from '../runtimes/runtime.ts';

/** Creates the runtime that drives turns with the Claude Agent SDK. Needs `@anthropic-ai/claude-agent-sdk`. */
export function claude(options: ClaudeCodeOptions = {}): Runtime {
  return lazyRuntime('claude', async () => {
    const { claudeRuntime } = await import('../runtimes/claude/sdk/claude-runtime.ts');
    return claudeRuntime(options);
  });
}

/** Creates the runtime that drives turns with the control protocol of the Claude CLI. Needs the `claude` program, not the SDK. */
export function claudeCli(options: ClaudeCodeOptions = {}): Runtime {
  return lazyRuntime('claude-cli', async () => {
    const { claudeCliRuntime } = await import('../runtimes/claude/cli/claude-cli-runtime.ts');
    return claudeCliRuntime(options);
  });
}

/** Creates the runtime that drives turns with a model through the AI SDK; `demo` is a built-in model that needs no key. */
export function model(options: ModelOptions = {}): Runtime {
  return lazyRuntime('model', async () => {
    const { modelRuntime } = await import('../runtimes/model/model-runtime.ts');
    return modelRuntime(options);
  });
}
