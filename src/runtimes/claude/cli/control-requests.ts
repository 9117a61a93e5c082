import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';
import { wireCodes } from '../../../surfaces/mcp/protocol/wire-messages.ts';
import type { HookInput, Passthrough, ServerOrigin } from '../shared/claude-options.ts';
import type { ClaudeTurn } from '../shared/claude-turn.ts';

/** Serves a control request of the CLI. */
export async function answerControlRequest(
  request: JsonObject,
  turn: ClaudeTurn,
  hooks: HookCallbacks,
  signal: AbortSignal,
): Promise<JsonObject> {
  const subtype = typeof request['subtype'] === 'string' ? request['subtype'] : '';
  switch (subtype) {
    case 'can_use_tool':
      return await permission(request, turn, signal);
    case 'hook_callback':
      return await hooks.run(request['callback_id'], request['input'] as unknown as HookInput, signal);
    case 'mcp_message':
    // The former name of `mcp_message`.
    case 'sdk_mcp_request':
      return await serverMessage(request, turn, signal);
    default:
      throw new Error(`unknown control request ${JSON.stringify(subtype)}`);
  }
}

async function permission(request: JsonObject, { gate }: ClaudeTurn, signal: AbortSignal): Promise<JsonObject> {
  const { tool_name, input, tool_use_id, mcp_server } = request;
  if (typeof tool_name !== 'string' || typeof tool_use_id !== 'string')
    throw new Error('can_use_tool needs tool_name and tool_use_id');
  const answer = await gate.permit({
    toolName: tool_name,
    input: isJsonObject(input) ? input : {},
    toolUseId: tool_use_id,
    server: isJsonObject(mcp_server) ? (mcp_server as unknown as ServerOrigin) : undefined,
    signal,
  });
  return { ...answer, toolUseID: tool_use_id };
}

async function serverMessage(request: JsonObject, { servers }: ClaudeTurn, signal: AbortSignal): Promise<JsonObject> {
  const name = request['server_name'] ?? request['serverName'];
  const message = isJsonObject(request['message']) ? request['message'] : {};
  const server = typeof name === 'string' ? servers.get(name) : undefined;
  const id = message['id'] ?? null;
  if (server === undefined) {
    const error = { code: wireCodes.method, message: `there is no server ${JSON.stringify(name ?? null)}` };
    return { mcp_response: { jsonrpc: '2.0', id, error } };
  }
  // A notification has no response, but its control request needs one.
  const answer = await server.answer(message, signal);
  return { mcp_response: answer ?? { jsonrpc: '2.0', id: 0, result: {} } };
}

type Hook = (input: HookInput, signal: AbortSignal) => Promise<object> | object;

/** The hooks of a turn, by the ids that the CLI calls them with. */
export class HookCallbacks {
  /** The hooks as the `initialize` request registers them. */
  readonly registration: Record<string, object[]> = {};
  readonly #hooks = new Map<string, Hook>();

  constructor(
    { gate, hookMatcher: matcher }: Pick<ClaudeTurn, 'gate' | 'hookMatcher'>,
    passthrough: Passthrough | undefined,
  ) {
    // A failed hook must not let the tool run.
    this.#add('PreToolUse', (input) => gate.beforeTool(input), { matcher, onFailure: 'block' });
    for (const event of ['PostToolUse', 'PostToolUseFailure'] as const) {
      this.#add(event, (input) => gate.afterTool(input), { matcher });
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
