import type { CallOptions, Principal } from '../core/calls/call.ts';
import type { PermissionMode } from '../core/calls/permission-mode.ts';
import type { ToolDefinition } from '../core/tools/tool.ts';
import type { Caller, OwnCallOptions, OwnTools } from './own-tools.ts';
import type { TurnCallOptions, TurnTools } from './runtime.ts';

/** What a turn's tools are made of. */
export interface TurnToolsOptions {
  readonly box: { tools(view: { readonly profile?: string }): readonly ToolDefinition[]; readonly call: Caller };
  /** Where the runtime's own tools are mounted in the box. */
  readonly own: OwnTools;
  readonly session: string;
  readonly principal: Principal;
  /** What of the catalog the agent sees. */
  readonly profile?: string | undefined;
  /** The session's directory, where the runtime's own tools write. */
  readonly cwd: string;
  /** How freely the agent may act. */
  readonly permissionMode: PermissionMode;
  /** What else is said of a call, by the model's id for it: who may approve it, how long to wait for that. */
  readonly options?: (toolCallId: string) => CallOptions;
}

/** The tools of a box for one turn: calls carry the session, and are pinned to the definitions that were listed last. */
export function turnTools(given: TurnToolsOptions): TurnTools {
  const { box, own, session, principal, cwd, permissionMode, options } = given;
  const view = given.profile === undefined ? {} : { profile: given.profile };
  let listed: readonly ToolDefinition[] = [];
  let hashes: ReadonlyMap<string, string> = new Map();

  const callOptions = ({ toolCallId, signal, onProgress }: TurnCallOptions): OwnCallOptions => ({
    ...options?.(toolCallId),
    session,
    principal,
    permissionMode,
    ...view,
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
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
      const definitionHash = hashes.get(tool);
      return box.call(tool, args, {
        ...callOptions(about),
        ...(definitionHash === undefined ? {} : { definitionHash }),
      });
    },
    begin: (tool, args, about) => own.begin(box.call, tool, args, callOptions(about), [cwd]),
  };
}
