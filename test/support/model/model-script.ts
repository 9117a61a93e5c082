/**
 * A part of a scripted answer. `raw` replaces the arguments by text that is not valid JSON. The last block may cause an early
 * end: `wait` keeps the answer open until the client disconnects, `drop` breaks the connection, `truncate` ends the stream
 * without its last messages, `cut` reports that the limit on output tokens was reached.
 */
export type ModelBlock =
  | { readonly type: 'text' | 'thinking'; readonly text: string }
  | { readonly type: 'tool_use'; readonly name: string; readonly input: object; readonly raw?: string }
  | { readonly type: 'wait' | 'drop' | 'truncate' | 'cut' };

/** An error response of the API. */
export interface ModelRefusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The input of a scripted model, independent of the API. */
export interface ScriptedInput {
  /** All user messages so far. */
  readonly userMessages: readonly string[];
  /** The tool results since the last user message. */
  readonly results: readonly ModelToolResult[];
  /** The names of the offered tools. */
  readonly tools: readonly string[];
}

export interface ModelToolResult {
  readonly text: string;
  /** Whether the API marks it as an error; absent when the API has no error flag. */
  readonly failed?: boolean;
}

/** Returns the answer of the model to its input. */
export type ModelScript = (input: ScriptedInput) => readonly ModelBlock[] | ModelRefusal;

export function isRefusal(answer: readonly unknown[] | ModelRefusal): answer is ModelRefusal {
  return !Array.isArray(answer);
}
