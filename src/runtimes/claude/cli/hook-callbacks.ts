import type { JsonObject } from '../../../core/json/json.ts';
import type { HookInput, Passthrough } from '../shared/claude-options.ts';
import type { ClaudeTurn } from '../shared/claude-turn.ts';

type Hook = (input: HookInput, signal: AbortSignal) => Promise<object> | object;

/** The hooks of a turn, under the names by which the CLI calls them back. */
export class HookCallbacks {
  /** As the CLI is told of them at the start. */
  readonly registration: Record<string, object[]> = {};
  readonly #hooks = new Map<string, Hook>();

  constructor({ gate, hooked: matcher }: Pick<ClaudeTurn, 'gate' | 'hooked'>, passthrough: Passthrough | undefined) {
    // Nothing runs because asking about it failed.
    this.#add('PreToolUse', (input) => gate.before(input), { matcher, onFailure: 'block' });
    for (const event of ['PostToolUse', 'PostToolUseFailure'] as const) {
      this.#add(event, (input) => gate.after(input), { matcher });
      for (const { matcher: passed, hooks } of passthrough?.hooks[event] ?? [])
        for (const hook of hooks)
          this.#add(
            event,
            (input, signal) => hook(input as never, input.tool_use_id, { signal }),
            passed === undefined ? {} : { matcher: passed },
          );
    }
  }

  async run(id: unknown, input: HookInput, signal: AbortSignal): Promise<JsonObject> {
    const hook = typeof id === 'string' ? this.#hooks.get(id) : undefined;
    if (hook === undefined) throw new Error(`no hook is registered as ${JSON.stringify(id ?? null)}`);
    return (await hook(input, signal)) as JsonObject;
  }

  #add(event: string, hook: Hook, options: object = {}): void {
    const id = `hook_${this.#hooks.size}`;
    this.#hooks.set(id, hook);
    (this.registration[event] ??= []).push({ ...options, hookCallbackIds: [id] });
  }
}
