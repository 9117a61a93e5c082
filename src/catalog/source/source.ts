import type { SignalboxError } from '../../core/errors.ts';
import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import type { ToolContext } from '../../core/tools/tool-context.ts';
import type { ToolDescription } from '../../core/tools/tool.ts';
import type { ContentListing, SourceContent } from './source-content.ts';

/** The port through which a server's tools come into the catalog. */
export interface Source {
  /** The server's name. */
  readonly server: string;
  /** Identifies the server in the journal: `local:notes`, `mcp:files`. */
  readonly adapter: string;
  readonly limits: SourceLimits;
  /** Nothing that needs the box as a whole should begin while this server is not up. */
  readonly required?: boolean;
  /** Requests its resources and prompts; absent for servers that cannot have any. */
  readonly content?: SourceContent;
  /** The labels of the server: those of its resources and prompts, and part of those of its tools. */
  readonly labels?: readonly string[];
  /** Its tools can be called but are told to nobody: only who brought them along can run them. */
  readonly unlisted?: boolean;
  /** Hidden characters were taken out of what it says, and what is suspicious was noticed: the catalog need not do it. */
  readonly isClean?: boolean;
  /** Its definitions are compared with the accepted ones already, or need not be: the catalog does not pin them. */
  readonly isPinned?: boolean;
  /** The tools it offers now and how it is. The same array as before means that nothing changed. */
  state(): SourceState;
  /** Calls back for every change of `state()`. The returned function unsubscribes. */
  subscribe(listener: () => void): () => void;
  close(): Promise<void>;
  /** Returns the health of a server outside this process; absent for servers inside it. */
  health?(): SourceHealth;
  /** Connects anew; absent for servers that are in this process. */
  restart?(): Promise<void>;
}

/** The health of a server outside this process. */
export interface SourceHealth {
  /** `idle`: its process was stopped because nobody called it, and the next call starts it again. */
  readonly state: 'connecting' | 'up' | 'idle' | 'down' | 'stopped';
  readonly since: number;
  readonly lastError?: string;
  readonly nextRetryAt?: number;
  /** The number of reconnections. */
  readonly restarts: number;
  readonly protocolVersion?: string;
  /** The name and version that the server reports. */
  readonly serverInfo?: JsonObject;
  /** The last lines it wrote to its error output, or logged. */
  readonly stderr: readonly string[];
}

/** The current state of a source. */
export interface SourceState {
  readonly tools: readonly SourceTool[];
  /** Tools it has but does not offer. */
  readonly hidden?: readonly WithheldTool[];
  /** The instructions of the server for models. */
  readonly instructions?: string;
  /** Its resources and prompts. */
  readonly content?: ContentListing;
  /** Notices for the operator about the server as a whole. */
  readonly notices?: readonly string[];
  /** Signs of an attack in its instructions, prompts and resources. */
  readonly flags?: readonly string[];
  /** The reason why the server cannot be called, and since when; absent while it can be called. */
  readonly down?: {
    readonly reason: string;
    readonly since: number;
    /** It was not tried to the end yet: that it cannot be called is no news. */
    readonly isStarting?: boolean;
    /** Only a person can help, by signing in at it. */
    readonly needsSignIn?: true;
    /** It answers, and says that it fails: whoever runs it can help. */
    readonly isFailing?: true;
  };
}

/** A tool that is kept back before it reaches the catalog. */
export interface WithheldTool {
  readonly tool: string;
  /** The lock, a rule that says so, a transform that dropped it, or a transform that failed on it. */
  readonly by: 'lock' | 'rule' | 'transform' | 'definition-invalid';
  readonly reason: string;
  readonly since: number;
  /** Present when nobody wanted it so: with this, mounting the server is refused. */
  readonly error?: SignalboxError;
}

/** One tool as its source offers it, before the catalog gives it a name. Plain data and closures, so that it can be spread. */
export interface SourceTool extends ToolDescription {
  /** The name it is offered under. */
  readonly tool: string;
  /** The source's own name for it, where a transform gave it another. */
  readonly remote?: string;
  /** Notices for the author or operator, such as a schema that does not compile. */
  readonly notices: readonly string[];
  /** The notices about what looks like an attack in its definition. */
  readonly flags?: readonly string[];
  /** Checks the arguments and gives them the form that `run` takes. Called once for each call, before policy is asked. */
  parse(args: JsonObject): ParsedArguments | Promise<ParsedArguments>;
  /** The reason why its schema cannot check arguments. Such a tool cannot be called until its schema is trusted. */
  readonly schemaProblem?: string;
  /** Used instead of `parse` when its schema is trusted: checks as much as the schema allows. Absent where `parse` always checks. */
  parseTrusting?(args: JsonObject): ParsedArguments | Promise<ParsedArguments>;
  /** Returns the problems of a structured result, if the tool declared an output schema. */
  checkOutput?(value: JsonValue): ArgumentProblem[] | undefined | Promise<ArgumentProblem[] | undefined>;
  /** Whether `run` returns a result of MCP, which is passed on unchanged, including fields that Signalbox does not know. */
  readonly returnsMcpResult?: boolean;
  /** Whether rules do not count its calls, because each leads to another call that they count. */
  readonly uncounted?: boolean;
  /** Limits of its results, where they differ from those of its server. */
  readonly results?: ResultLimits;
  /** Runs the tool. May throw, reject, hang or return nonsense: the pipeline copes. */
  run(args: unknown, context: ToolContext): unknown;
  /** Whether its callers run it themselves: it is called through `begin`, and `run` is not used. */
  readonly isExternal?: boolean;
  /** It can be called, but is listed only where tools are found instead of listed. */
  readonly unlisted?: boolean;
  /**
   * Present on a tool that is only a way to call others: a call of it is one of that tool, in everything. Answers with what is
   * wrong where no tool is meant.
   */
  forward?(given: unknown): Forward | string;
  /** Makes a call good again; what it may be run for has the arguments of `run`. */
  undo?(args: unknown, context: ToolContext): unknown;
  /** The directories it writes to, where they are others than its server's. */
  readonly workspace?: readonly string[];
}

/** Another tool that a call is meant for, and with what arguments. */
export interface Forward {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** Arguments after validation: in the handler's form, or what is wrong with them. */
export type ParsedArguments =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly ArgumentProblem[] };

/** One thing that is wrong with a value, and where. */
export interface ArgumentProblem {
  /** For instance `$.items[2].price`. */
  readonly path: string;
  readonly message: string;
}

/** Limits above which results are shortened. */
export interface ResultLimits {
  /** Text and structured content of one result, in bytes. Text that repeats the structured content is counted once. */
  readonly maxBytes?: number;
  /** One picture, sound or file of a result, in bytes; all of a result together may have four times as much. */
  readonly maxMediaBytes?: number;
}

/** The limits of calls to one server. */
export interface SourceLimits {
  /** The timeout of a call. */
  readonly timeoutMs?: number;
  /** The number of calls that run at a time; others wait. */
  readonly concurrency?: number;
  /** The number of calls in any window of so many milliseconds. Others wait up to their timeout, then fail. */
  readonly rateLimit?: { readonly max: number; readonly perMs: number };
  /** How long the result of a read is cached for the same arguments; reads are not cached when absent. */
  readonly cacheMs?: number;
  /** The directories that its tools write to: kept before each undoable call, so that it can be undone. */
  readonly workspace?: readonly string[];
  /** The directory that its program is started in; that of this process when absent. */
  readonly cwd?: string;
  /** Limits of the results of its tools. */
  readonly results?: ResultLimits;
}

/** Returns the limits that are set. */
export function limitsOf({ timeoutMs, concurrency, rateLimit, cacheMs, workspace, cwd, results }: Given): SourceLimits {
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
    ...(cacheMs === undefined ? {} : { cacheMs }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(results === undefined ? {} : { results }),
  };
}

type Given = { readonly [Key in keyof SourceLimits]?: SourceLimits[Key] | undefined };
