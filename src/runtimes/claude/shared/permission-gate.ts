import { text } from '../../../core/tools/content.ts';
import { messageOf } from '../../../core/errors.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import { raceAbort } from '../../../core/async/light-abort-signal.ts';
import { parseName } from '../../../core/tools/tool-names.ts';
import type { RuntimeToolCall, RuntimeToolResult, Question, Turn } from '../../runtime.ts';
import { toBuiltInTool, toOutputText, questionToolName } from './built-in-tools.ts';
import type { HookInput, Permission, PermissionRequest, ServerOrigin } from './claude-options.ts';
import type { ToolCallEvents } from './tool-call-events.ts';

type Allowed = Extract<RuntimeToolCall, { allowed: true }>;

/** Options of `PermissionGate`. */
interface PermissionGateOptions {
  readonly turn: Pick<Turn, 'tools' | 'ask' | 'cwd'>;
  /** Cancels pending calls. */
  readonly signal: AbortSignal;
  readonly calls: ToolCallEvents;
  /** Returns whether a server is in the box, which decides its calls itself. */
  readonly isMounted: (server: string) => boolean;
  /** Returns whether a server is connected directly; its calls are not decided. */
  readonly isPassthrough: (server: string) => boolean;
  /** The data directory of Signalbox. */
  readonly data?: string | undefined;
}

const askFirst = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } };

/** Decides the calls of Claude Code's own tools, so that each call of a turn is decided exactly once. */
export class PermissionGate {
  readonly #options: PermissionGateOptions;
  readonly #begun = new Map<string, Allowed>();

  constructor(options: PermissionGateOptions) {
    this.#options = options;
  }

  /** Makes Claude Code ask for permission for its own tools. A permission request has no timeout, unlike a hook. */
  beforeTool({ tool_name, mcp_server }: HookInput): object {
    return this.#isOwn(tool_name, mcp_server) ? askFirst : {};
  }

  /** Answers a permission request. */
  async permit(request: PermissionRequest): Promise<Permission> {
    const { toolName, input, server } = request;
    if (!this.#isOwn(toolName, server)) return { behavior: 'allow', updatedInput: input };
    try {
      return await this.#begin(request);
    } catch (error) {
      // Fail closed.
      return this.#refuse(request.toolUseId, messageOf(error), 'failed');
    }
  }

  /** Ends the call of a tool that Claude Code ran. */
  async afterTool({ hook_event_name, tool_use_id, tool_response, error, is_interrupt }: HookInput): Promise<object> {
    await this.#end(
      tool_use_id,
      hook_event_name === 'PostToolUse'
        ? { outcome: 'completed', output: toOutputText(tool_response) }
        : { outcome: is_interrupt === true ? 'cancelled' : 'failed', output: error ?? 'the tool failed' },
    );
    return {};
  }

  /** Ends all open calls as cancelled when the turn ends. */
  async close(): Promise<void> {
    const left = [...this.#begun.keys()];
    await Promise.all(
      left.map((id) => this.#end(id, { outcome: 'cancelled', output: 'the turn ended before the call' })),
    );
  }

  #isOwn(tool: string, origin: ServerOrigin | undefined): boolean {
    const server = origin?.name ?? parseName(tool)?.server;
    if (server === undefined) return true;
    // Any configuration can use a server's name, but only this process can add a server with the source `sdk`.
    if (this.#options.isMounted(server)) return origin !== undefined && origin.source !== 'sdk';
    return !this.#options.isPassthrough(server);
  }

  async #begin({ toolName, input, toolUseId, signal: withdrawn }: PermissionRequest): Promise<Permission> {
    const { turn, signal: over, data } = this.#options;
    const signal = AbortSignal.any([withdrawn, over]);
    await this.#end(toolUseId, { outcome: 'cancelled', output: 'permission was requested again' });
    const call = await turn.tools.begin(toBuiltInTool(toolName, input, turn.cwd, data), input, {
      toolCallId: toolUseId,
      signal,
    });
    if (!call.allowed) return this.#refuse(toolUseId, call.reason, signal.aborted ? 'cancelled' : 'denied');
    this.#begun.set(toolUseId, call);
    if (withdrawn.aborted) {
      await this.#end(toolUseId, { outcome: 'cancelled', output: 'Claude Code did not wait for the answer' });
      return { behavior: 'deny', message: 'the permission request was cancelled' };
    }
    if (toolName !== questionToolName) return { behavior: 'allow', updatedInput: call.arguments };
    const answers = await raceAbort(() => turn.ask(toolUseId, parseQuestions(call.arguments)), signal).catch(
      () => undefined,
    );
    if (answers !== undefined)
      return { behavior: 'allow', updatedInput: { ...call.arguments, answers: toAnswerTexts(answers) } };
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

function parseQuestions({ questions }: JsonObject): readonly Question[] {
  return Array.isArray(questions) ? (questions.filter(isJsonObject) as unknown as readonly Question[]) : [];
}

/** Joins several answers to one question, because Claude Code takes one text per question. */
function toAnswerTexts(answers: JsonObject): JsonObject {
  const one = (answer: JsonValue): string =>
    Array.isArray(answer)
      ? answer.map(String).join(', ')
      : typeof answer === 'string'
        ? answer
        : JSON.stringify(answer);
  return Object.fromEntries(Object.entries(answers).map(([question, answer]) => [question, one(answer)]));
}
