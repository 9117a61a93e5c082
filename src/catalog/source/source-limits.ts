/** Limits above which results are shortened. */
export interface ResultLimits {
  /** Text and structured content of one result, in bytes. Text that repeats the structured content is counted once. */
  readonly maxBytes?: number;
  /** One picture, sound or file of a result, in bytes; all of a result together may have four times as much. */
  readonly maxMediaBytes?: number;
}

/** What one server may take, and how long what it said holds. */
export interface SourceLimits {
  /** How long one of its tools may run. */
  readonly timeoutMs?: number;
  /** How many calls it gets at a time; the others wait. */
  readonly concurrency?: number;
  /** How many calls it gets in any span of so many milliseconds; the others wait as long as they may run, or fail. */
  readonly rateLimit?: { readonly max: number; readonly perMs: number };
  /** How long the result of a read is given out again for the same arguments; reads run each time when absent. */
  readonly cacheMs?: number;
  /** The directories that its tools write to: kept before each undoable call, so that it can be undone. */
  readonly workspace?: readonly string[];
  /** Limits of the results of its tools. */
  readonly results?: ResultLimits;
}

/** The limits that were given. */
export function limitsOf({ timeoutMs, concurrency, rateLimit, cacheMs, workspace, results }: Given): SourceLimits {
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
    ...(cacheMs === undefined ? {} : { cacheMs }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(results === undefined ? {} : { results }),
  };
}

type Given = { readonly [Key in keyof SourceLimits]?: SourceLimits[Key] | undefined };
