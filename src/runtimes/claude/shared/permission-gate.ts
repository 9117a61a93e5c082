import { text } from '../../../core/tools/content.ts';
import { messageOf } from '../../../core/errors.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import { raceAbort } from '../../../core/async/light-abort-signal.ts';
import { parseName } from '../../../catalog/names.ts';
import type { BegunCall, RuntimeToolResult, Question, Turn } from '../../runtime.ts';
import { toBuiltInTool, toOutputText, questionToolName } from './built-in-tools.ts';
import type { HookInput, Permission, PermissionRequest, ServerOrigin } from './claude-options.ts';
import type { ToolCallEvents } from './tool-call-events.ts';

type Allowed = Extract<BegunCall, { allowed: true }>;

/** What the gate of a turn looks at. */
export interface PermissionGateOptions {
  readonly turn: Pick<Turn, 'tools' | 'ask' | 'cwd'>;
  /** Ends whatever waits. */
  readonly signal: AbortSignal;
  readonly calls: ToolCallEvents;
  /** Servers of the box: their calls are decided when they arrive there. */
  readonly isMounted: (server: string) => boolean;
  /** Servers past the box: nothing decides their calls. */
  readonly isPassthrough: (server: string) => boolean;
  /** The data directory of Signalbox. */
  readonly data?: string | undefined;
}

const askFirst = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } };

/** Stands before every tool that Claude Code would run, so that each call is decided exactly once. */
export class PermissionGate {
  readonly #options: PermissionGateOptions;
  readonly #begun = new Map<string, Allowed>();

  constructor(options: PermissionGateOptions) {
    this.#options = options;
  }

  /** Before any tool: Claude Code must ask for its own tools, also where it would not. It waits for an answer without end there. */
  beforeTool({ tool_name, mcp_server }: HookInput): object {
    return this.#isOwn(tool_name, mcp_server) ? askFirst : {};
  }

  /** May this tool run? */
  async permit(request: PermissionRequest): Promise<Permission> {
    const { toolName, input, server } = request;
    if (!this.#isOwn(toolName, server)) return { behavior: 'allow', updatedInput: input };
    try {
      return await this.#begin(request);
    } catch (error) {
      // Whatever went wrong, the call was not allowed.
      return this.#refuse(request.toolUseId, messageOf(error), 'failed');
    }
  }

  /** After a tool of Claude Code ran, or failed. */
  async afterTool({ hook_event_name, tool_use_id, tool_response, error, is_interrupt }: HookInput): Promise<object> {
    await this.#end(
      tool_use_id,
      hook_event_name === 'PostToolUse'
        ? { outcome: 'completed', output: toOutputText(tool_response) }
        : { outcome: is_interrupt === true ? 'cancelled' : 'failed', output: error ?? 'it failed' },
    );
    return {};
  }

  /** The turn is over: what has not ended did not get to its end. */
  async close(): Promise<void> {
    const left = [...this.#begun.keys()];
    await Promise.all(
      left.map((id) => this.#end(id, { outcome: 'cancelled', output: 'the turn ended before it did' })),
    );
  }

  #isOwn(tool: string, origin: ServerOrigin | undefined): boolean {
    const server = origin?.name ?? parseName(tool)?.server;
    if (server === undefined) return true;
    // Anybody can name a server; only we can say that it is in this process.
    if (this.#options.isMounted(server)) return origin !== undefined && origin.source !== 'sdk';
    return !this.#options.isPassthrough(server);
  }

  async #begin({ toolName, input, toolUseId, signal: withdrawn }: PermissionRequest): Promise<Permission> {
    const { turn, signal: over, data } = this.#options;
    const signal = AbortSignal.any([withdrawn, over]);
    await this.#end(toolUseId, { outcome: 'cancelled', output: 'it was asked for again' });
    const call = await turn.tools.begin(toBuiltInTool(toolName, input, turn.cwd, data), input, {
      toolCallId: toolUseId,
      signal,
    });
    if (!call.allowed) return this.#refuse(toolUseId, call.reason, signal.aborted ? 'cancelled' : 'denied');
    this.#begun.set(toolUseId, call);
    if (withdrawn.aborted) {
      await this.#end(toolUseId, { outcome: 'cancelled', output: 'Claude Code did not wait for the answer' });
      return { behavior: 'deny', message: 'nobody waits for the answer' };
    }
    if (toolName !== questionToolName) return { behavior: 'allow', updatedInput: call.arguments };
    const answers = await raceAbort(() => turn.ask(toolUseId, questionsOf(call.arguments)), signal).catch(
      () => undefined,
    );
    if (answers !== undefined)
      return { behavior: 'allow', updatedInput: { ...call.arguments, answers: asText(answers) } };
    const outcome = signal.aborted ? 'cancelled' : 'failed';
    await this.#end(toolUseId, { outcome, output: 'nobody answered the question' });
    return this.#refuse(toolUseId, 'nobody answered the question', outcome);
  }

  #refuse(toolUseId: string, message: string, outcome: 'denied' | 'failed' | 'cancelled'): Permission {
    this.#options.calls.end(toolUseId, { outcome, content: [text(message)] });
    return { behavior: 'deny', message };
  }

  async #end(id: string, outcome: RuntimeToolResult): Promise<void> {
    const call = this.#begun.get(id);
    this.#begun.delete(id);
    if (call === undefined) return;
    this.#options.calls.recorded(id, await call.end(outcome));
  }
}

function questionsOf({ questions }: JsonObject): readonly Question[] {
  return Array.isArray(questions) ? (questions.filter(isJsonObject) as unknown as readonly Question[]) : [];
}

/** Several answers to one question are one text to Claude Code. */
function asText(answers: JsonObject): JsonObject {
  const one = (answer: JsonValue): string =>
    Array.isArray(answer)
      ? answer.map(String).join(', ')
      : typeof answer === 'string'
        ? answer
        : JSON.stringify(answer);
  return Object.fromEntries(Object.entries(answers).map(([question, answer]) => [question, one(answer)]));
}
