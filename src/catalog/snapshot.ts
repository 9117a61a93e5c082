import type { ToolDefinition } from '../core/tools/tool.ts';
import { type NamedTool, recordedTool } from '../core/tools/tool-names.ts';

/** Everything that can be called at one moment, and why the rest cannot. Never changes; a change makes the next version. */
export interface CatalogSnapshot {
  readonly version: number;
  /** All tools that can be called, by server in mounting order. */
  readonly tools: readonly ToolDefinition[];
  readonly servers: readonly ServerProvenance[];
  /** Tools that exist but are not offered, with what hides them. */
  readonly hidden: readonly HiddenTool[];
  readonly notices: readonly CatalogNotice[];
}

/** The status of a server. */
export interface ServerProvenance {
  readonly name: string;
  readonly adapter: string;
  readonly status: 'up' | 'down' | 'disabled';
  /** Since when it has this status, in milliseconds since 1970. */
  readonly since: number;
  readonly reason?: string;
  /** Present while it is down only because it was not tried to the end yet. */
  readonly connecting?: true;
  /** Present when it is down until a person signs in at it. */
  readonly needsSignIn?: true;
  /** Present when it is down because it says itself that it fails: whoever runs it can help. */
  readonly isFailing?: true;
  /** Present when nothing that needs the box as a whole should begin while the server is not up. */
  readonly required?: true;
  /** The number of its tools that can be called now. */
  readonly tools: number;
}

/** A tool that is not offered, and why. */
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

/** Something an operator should know about a tool that works, or about a whole server. */
export interface CatalogNotice {
  readonly server: string;
  /** The rendered name of the tool; `mcp__{server}__*` when it is about the server. */
  readonly tool: string;
  readonly message: string;
  /** Present when it is about what looks like an attack. */
  readonly isSuspicious?: true;
}

/** The required servers that are not up. */
export function missingServers({ servers }: Pick<CatalogSnapshot, 'servers'>): readonly ServerProvenance[] {
  return servers.filter(({ required, status }) => required === true && status !== 'up');
}

/** Returns the names of a hidden tool. */
export function namedHidden(hidden: HiddenTool): NamedTool {
  return recordedTool(hidden.name, hidden);
}
