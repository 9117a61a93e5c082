/**
 * What a scripted model answers with. `raw` stands for arguments that are no JSON. The last block may be the end before the end:
 * `wait` keeps the answer open until the client leaves, `drop` breaks the connection, `truncate` ends the stream without its last
 * messages, `cut` reports that the limit on output tokens was reached.
 */
export type ModelBlock =
  | { readonly type: 'text' | 'thinking'; readonly text: string }
  | { readonly type: 'tool_use'; readonly name: string; readonly input: object; readonly raw?: string }
  | { readonly type: 'wait' | 'drop' | 'truncate' | 'cut' };

/** An answer that is none: the API refuses. */
export interface ModelRefusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a scripted model hears, whatever API it speaks. */
export interface Heard {
  /** Everything users said so far. */
  readonly said: readonly string[];
  /** What came back from tools since then. */
  readonly results: readonly HeardResult[];
  /** The names of the tools it is offered. */
  readonly tools: readonly string[];
}

export interface HeardResult {
  readonly text: string;
  /** Whether the API marks it as an error; absent where it has no mark for it. */
  readonly failed?: boolean;
}

/** Speaks for the model: given what it heard, says what it answers. */
export type ModelScript = (heard: Heard) => readonly ModelBlock[] | ModelRefusal;

export function isRefusal(answer: readonly unknown[] | ModelRefusal): answer is ModelRefusal {
  return !Array.isArray(answer);
}
