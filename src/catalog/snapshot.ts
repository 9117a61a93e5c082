import type { ToolDefinition } from '../core/tools/tool.ts';
import { type NamedTool, recordedTool } from '../core/tools/tool-names.ts';

/** The tools that can be called at one moment, and the reasons why others cannot. Immutable: a change creates a new version. */
export interface CatalogSnapshot {
  readonly version: number;
  /** All tools that can be called, by server in mounting order. */
  readonly tools: readonly ToolDefinition[];
  readonly servers: readonly ServerSummary[];
  /** Tools that exist but are not offered, with the cause. */
  readonly hidden: readonly HiddenTool[];
  readonly notices: readonly CatalogNotice[];
}

/** The status of a server. */
export interface ServerSummary {
  readonly name: string;
  readonly adapter: string;
  readonly status: 'up' | 'down' | 'disabled';
  /** The time at which the status began, in milliseconds since 1970. */
  readonly since: number;
  readonly reason?: string;
  /** Present while the server is down only because its first start has not ended. */
  readonly connecting?: true;
  /** Present when the server is down until a person signs in to it. */
  readonly needsSignIn?: true;
  /** Present when the server is down because it reports a failure of its own, which its operator must fix. */
  readonly isFailing?: true;
  /** Present when operations that need the whole box must wait until the server is up. */
  readonly required?: true;
  /** The number of its tools that can currently be called. */
  readonly tools: number;
}

/** A tool that is not offered, with the reason. */
export interface HiddenTool {
  readonly name: string;
  readonly server: string;
  /** The tool's name before rendering; absent when rendering did not change it. */
  readonly ownName?: string;
  readonly renamedFrom?: string;
  /** The cause for hiding it. */
  readonly by:
    | 'server-disabled'
    | 'server-down'
    | 'name-collision'
    | 'definition-invalid'
    | 'lock'
    | 'rule'
    | 'transform'
    | 'profile';
  readonly reason: string;
  readonly since: number;
}

/** A notice for the operator about a working tool, or about a whole server. */
export interface CatalogNotice {
  readonly server: string;
  /** The rendered name of the tool; `mcp__{server}__*` for a notice about the server. */
  readonly tool: string;
  readonly message: string;
  /** Present when the notice is about a possible attack. */
  readonly isSuspicious?: true;
}

/** Returns the required servers that are not up. */
export function missingServers({ servers }: Pick<CatalogSnapshot, 'servers'>): readonly ServerSummary[] {
  return servers.filter(({ required, status }) => required === true && status !== 'up');
}

/** Returns the names of a hidden tool. */
export function nameHiddenTool(hidden: HiddenTool): NamedTool {
  return recordedTool(hidden.name, hidden);
}
