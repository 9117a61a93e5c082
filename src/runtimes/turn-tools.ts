import type { CallOptions, CallResult, ToolReference } from '../core/calls/call.ts';
import type { PermissionMode } from '../core/calls/permission-mode.ts';
import { messageOf } from '../core/errors.ts';
import { omitUndefined } from '../core/omit-undefined.ts';
import type { Principal } from '../core/principal.ts';
import { renderContent, text } from '../core/tools/content.ts';
import type { ToolDefinition } from '../core/tools/tool.ts';
import type { BeginOptions, BeginResult } from '../pipeline/begin-call.ts';
import type { RuntimeToolCall, TurnCallOptions, TurnTools } from './runtime.ts';
import type { RuntimeTools } from './runtime-tools.ts';

const maxReasonCharacters = 4000;

/** The part of a Signalbox that the tools of a turn use. */
export interface TurnBox {
  tools(view: { readonly profile?: string }): readonly ToolDefinition[];
  call(tool: ToolReference, args: unknown, options: CallOptions): Promise<CallResult>;
  begin(tool: ToolReference, args: unknown, options: BeginOptions): Promise<BeginResult>;
}

/** Options of `turnTools`. */
export interface TurnToolsOptions {
  readonly box: TurnBox;
  /** The server of the runtime's own tools, mounted in the box. */
  readonly own: RuntimeTools;
  readonly session: string;
  readonly principal: Principal;
  /** The profile of the catalog that the agent sees. */
  readonly profile?: string | undefined;
  /** The session's directory, where the runtime's own tools write. */
  readonly cwd: string;
  readonly permissionMode: PermissionMode;
  /** Returns further options of a call, such as who may approve it, by the model's id of the call. */
  readonly options?: (toolCallId: string) => CallOptions;
}

/** Returns the tools of a box for one turn. Calls carry the session, and are pinned to the definitions that were listed last. */
export function turnTools(given: TurnToolsOptions): TurnTools {
  const { box, own, session, principal, cwd, permissionMode, options } = given;
  const view = omitUndefined({ profile: given.profile });
  let listed: readonly ToolDefinition[] = [];
  let hashes: ReadonlyMap<string, string> = new Map();

  const callOptions = ({ toolCallId, signal, onProgress }: TurnCallOptions): CallOptions => ({
    ...options?.(toolCallId),
    session,
    principal,
    permissionMode,
    ...view,
    ...omitUndefined({ signal, onProgress }),
  });

  return {
    list() {
      const now = box.tools(view);
      if (now !== listed) {
        listed = now;
        hashes = new Map(now.map(({ name, definitionHash }) => [name, definitionHash]));
      }
      return now;
    },
    call(tool, args, about) {
      return box.call(tool, args, { ...callOptions(about), ...omitUndefined({ definitionHash: hashes.get(tool) }) });
    },
    async begin(tool, args, about) {
      own.declare(tool);
      try {
        const reference = { server: own.server, tool: tool.name };
        return toBegunCall(await box.begin(reference, args, { ...callOptions(about), workspace: [cwd] }));
      } catch (error) {
        return { allowed: false, reason: messageOf(error) };
      }
    },
  };
}

function toBegunCall(begun: BeginResult): RuntimeToolCall {
  if (!begun.allowed) return { allowed: false, reason: renderContent(begun.result.content, maxReasonCharacters) };
  return {
    allowed: true,
    arguments: begun.arguments,
    end: ({ outcome, output }) => begun.end({ outcome, content: [text(output)] }),
  };
}
