import type { SignalboxError } from '../../core/errors.ts';
import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { ToolContext } from '../../core/tools/tool-context.ts';
import type { ToolDescription } from '../../core/tools/tool.ts';
import type { ContentListing, SourceContent } from './source-content.ts';

/** The interface through which a server provides its tools to the catalog. */
export interface Source {
  /** The server's name. */
  readonly server: string;
  /** Identifies the server in the journal: `local:notes`, `mcp:files`. */
  readonly adapter: string;
  readonly limits: SourceLimits;
  /** Operations that need the whole box must wait until this server is up. */
  readonly required?: boolean;
  /** Requests its resources and prompts; absent for servers that cannot have any. */
  readonly content?: SourceContent;
  /** The labels of the server. They apply to its resources and prompts, and to its tools in addition to their own labels. */
  readonly labels?: readonly string[];
  /** Its tools can be called but are not listed: only the code that mounted them can run them. */
  readonly unlisted?: boolean;
  /** Hidden characters are already removed and suspicious text is already flagged, so the catalog need not do it. */
  readonly isClean?: boolean;
  /** Its definitions are already compared with the accepted ones, or need not be, so the catalog does not pin them. */
  readonly isPinned?: boolean;
  /** Returns its current tools and status. The same array of tools means that they did not change. */
  state(): SourceState;
  /** Calls the listener for every change of `state()`. The returned function unsubscribes. */
  subscribe(listener: () => void): () => void;
  close(): Promise<void>;
  /** Returns the health of a server outside this process; absent for servers inside it. */
  health?(): SourceHealth;
  /** Reconnects; absent for servers inside this process. */
  restart?(): Promise<void>;
}

/** The health of a server outside this process. */
export interface SourceHealth {
  /** `idle`: the process was stopped after a period without calls, and the next call starts it again. */
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
  /** Tools that the server has but does not offer. */
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
    /** The first start of the server has not ended, so this is not a failure. */
    readonly isStarting?: boolean;
    /** A person must sign in to the server. */
    readonly needsSignIn?: true;
    /** The server responds but reports a failure of its own, which its operator must fix. */
    readonly isFailing?: true;
  };
}

/** A tool that is withheld before it reaches the catalog. */
export interface WithheldTool {
  readonly tool: string;
  /** The cause: the lock, a configured rule, a transform that dropped the tool, or a transform that failed on it. */
  readonly by: 'lock' | 'rule' | 'transform' | 'definition-invalid';
  readonly reason: string;
  readonly since: number;
  /** Present when the tool is not hidden on purpose. Mounting the server then fails with this error. */
  readonly error?: SignalboxError;
}

/** One tool as its source offers it, before the catalog renders its name. Plain data and closures, so that it can be spread. */
export interface SourceTool extends ToolDescription {
  /** The name under which it is offered. */
  readonly tool: string;
  /** The source's own name, when a transform renamed the tool. */
  readonly remote?: string;
  /** Notices for the author or operator, such as a schema that does not compile. */
  readonly notices: readonly string[];
  /** The signs of an attack in its definition. */
  readonly flags?: readonly string[];
  /** Validates the arguments and converts them for `run`. Called once for each call, before the policy decision. */
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
  /** Limits of its results, when they differ from those of its server. */
  readonly results?: ResultLimits;
  /** Runs the tool. May throw, reject, hang or return an invalid value; the pipeline handles all of these. */
  run(args: unknown, context: ToolContext): unknown;
  /** Whether callers run the tool themselves. It is then called through `begin`, and `run` is not used. */
  readonly isExternal?: boolean;
  /** The tool can be called, but is listed only for clients that use tool search. */
  readonly unlisted?: boolean;
  /**
   * Present on a tool that only forwards calls to other tools. Its call is treated as a call of the target in every respect. Returns
   * an error message when the target is invalid.
   */
  forward?(given: unknown): ForwardedCall | string;
  /** Compensates for a call. Receives the same arguments as `run`. */
  undo?(args: unknown, context: ToolContext): unknown;
  /** The directories that it writes to, when they differ from those of its server. */
  readonly workspace?: readonly string[];
}

/** The target tool of a forwarded call, with its arguments. */
export interface ForwardedCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** The result of validating arguments: the converted arguments, or the problems. */
export type ParsedArguments =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly ArgumentProblem[] };

/** A problem of a value, with its location. */
export interface ArgumentProblem {
  /** The location, such as `$.items[2].price`. */
  readonly path: string;
  readonly message: string;
}

/** Limits above which results are shortened. */
export interface ResultLimits {
  /** The limit for text and structured content of one result, in bytes. Text that repeats the structured content is counted once. */
  readonly maxBytes?: number;
  /** The limit for one image, audio clip or file of a result, in bytes. All media of a result together may have four times as much. */
  readonly maxMediaBytes?: number;
}

/** The limits of calls to one server. */
export interface SourceLimits {
  /** The timeout of a call. */
  readonly timeoutMs?: number;
  /** The maximum number of concurrent calls; others wait. */
  readonly concurrency?: number;
  /** The maximum number of calls in any window of `perMs` milliseconds. Others wait up to their timeout, then fail. */
  readonly rateLimit?: { readonly max: number; readonly perMs: number };
  /** The time for which the result of a read is cached for the same arguments. By default, reads are not cached. */
  readonly cacheMs?: number;
  /** The directories that its tools write to. They are saved before each undoable call, so that it can be undone. */
  readonly workspace?: readonly string[];
  /** The working directory of its program; by default that of this process. */
  readonly cwd?: string;
  /** Limits of the results of its tools. */
  readonly results?: ResultLimits;
}

/** Returns the limits that are set. */
export function limitsOf(given: {
  readonly [Key in keyof SourceLimits]?: SourceLimits[Key] | undefined;
}): SourceLimits {
  const { timeoutMs, concurrency, rateLimit, cacheMs, workspace, cwd, results } = given;
  return omitUndefined({ timeoutMs, concurrency, rateLimit, cacheMs, workspace, cwd, results });
}
