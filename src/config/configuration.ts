import { join, resolve } from 'node:path';
import type { ProfilesByName } from '../catalog/profile.ts';
import type { ResultLimits, SourceLimits } from '../catalog/source/source.ts';
import type { ToolShaping } from '../catalog/transforms/shaping/tool-shaping.ts';
import type { JsonObject } from '../core/json/json.ts';
import type { PolicyDocument } from '../policy/rules/read-policies.ts';
import { type AgentEntries, defaultAgents } from './entries/agent-entry.ts';
import type { ExternalSettings, UndoSettings } from './schema/configuration-schema.ts';
import type { OAuthSettings } from './schema/oauth-schema.ts';

/** The settings of every server. */
interface CommonEntry {
  readonly name: string;
  readonly disabled: boolean;
  /** Filters and changes of its tools. */
  readonly tools?: ToolShaping;
  /** Whether turns and calls on the command line fail while it is not up. */
  readonly required?: boolean;
  readonly limits: SourceLimits;
}

/** A server whose tools are defined by a module that runs in this process. */
export interface LocalModuleEntry extends CommonEntry {
  readonly kind: 'local';
  /** Absolute path of the module. */
  readonly module: string;
  /** The name of the module's export that is the server; by default the default export. */
  readonly export?: string;
}

/** A server in another process or on the network. */
export interface ExternalEntry extends CommonEntry {
  readonly kind: 'external';
  readonly transport: 'stdio' | 'http' | 'sse';
  /** The settings that the server is started with. When they change, it is restarted. */
  readonly settings: ExternalSettings;
}

export type ServerEntry = LocalModuleEntry | ExternalEntry;

/** A file that a policy is read from. */
export interface PolicyFile {
  readonly path: string;
  /** Its path as written in the configuration. */
  readonly name: string;
}

/** A configuration with all defaults. */
export interface Configuration {
  /** Absolute path of the file, whether or not it exists. */
  readonly file: string;
  /** Absolute path of the directory from which relative paths in the configuration are resolved. */
  readonly directory: string;
  readonly servers: readonly ServerEntry[];
  /** The file with the rules, or the rules themselves if the configuration contains them. */
  readonly policies: PolicyFile | PolicyDocument | undefined;
  /** `sqlite` or a `postgres://` address, or a reference to one of them. */
  readonly store: string;
  readonly results: ResultLimits;
  readonly undo: UndoSettings;
  readonly approvals: { readonly expireAfterMs: number };
  /** The retention time of journal entries, and the directory to which older ones are exported. Default: forever. */
  readonly retention: { readonly journalMs: number; readonly exportTo: string } | undefined;
  /** The number of server programs that start concurrently, and the time that `tools/list` waits for starting servers. */
  readonly startup: { readonly concurrency: number; readonly waitMs: number };
  readonly builtinName: string;
  readonly agents: AgentEntries;
  readonly profiles: ProfilesByName;
  /** The authorization servers whose tokens the MCP endpoint accepts in addition to its own. */
  readonly oauth: OAuthSettings | undefined;
  /** Environment variables whose values must never be recorded. */
  readonly secrets: readonly string[];
  readonly warnings: readonly string[];
  /** The document as written in the file, which trust is based on. */
  readonly document: JsonObject;
}

/** The names a configuration file can have, the preferred one first. */
export const configurationFileNames = ['signalbox.config.json', 'signalbox.config.jsonc'] as const;

/** Returns the configuration of a directory without a configuration file. */
export function defaultConfiguration(directory: string): Configuration {
  const absolute = resolve(directory);
  return {
    file: join(absolute, configurationFileNames[0]),
    directory: absolute,
    servers: [],
    policies: undefined,
    store: 'sqlite',
    results: {},
    undo: {},
    approvals: { expireAfterMs: 2 * 60 * 60 * 1000 },
    retention: undefined,
    startup: { concurrency: 4, waitMs: 8000 },
    builtinName: 'signalbox',
    agents: defaultAgents,
    profiles: {},
    oauth: undefined,
    secrets: [],
    warnings: [],
    document: {},
  };
}
