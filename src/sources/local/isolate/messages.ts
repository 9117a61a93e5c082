import type { Progress } from '../../../core/calls/call.ts';
import type { Principal } from '../../../core/principal.ts';
import type { CallId } from '../../../core/identifiers.ts';
import type { JsonValue } from '../../../core/json/json.ts';

/** The module of a handler: generated from its source, with the handler as default export, or one that exports the tool. */
export interface IsolateOrigin {
  readonly tool: string;
  readonly form: 'source' | 'module';
  readonly url: string;
}

/** The `workerData` of a worker. */
export interface IsolateSetup extends IsolateOrigin {
  readonly signalboxIsolate: true;
  /** Number of progress messages that the main thread has not read yet. */
  readonly backlog: Int32Array<SharedArrayBuffer>;
}

/** A call, as it is sent to the worker. */
export interface IsolatedCall {
  readonly call: number;
  readonly args: unknown;
  readonly callId: CallId;
  readonly session: string | undefined;
  readonly principal: Principal;
  readonly deadline: number;
  readonly state: ReadonlyMap<string, JsonValue>;
}

/** Changes of the session state by a handler; `undefined` means deleted. */
export type StateChanges = ReadonlyMap<string, JsonValue | undefined>;

/** A thrown value in a form that can be cloned between threads. */
export type SerializedError =
  | { readonly error: { readonly name: string; readonly message: string; readonly stack: string } }
  | { readonly value: unknown };

/** A message of the worker. */
export type WorkerMessage =
  | { readonly kind: 'progress'; readonly call: number; readonly progress: Progress }
  | { readonly kind: 'succeeded'; readonly call: number; readonly value: unknown; readonly changes: StateChanges }
  /** `loaded` is false when the worker found no handler, which makes it unusable. */
  | { readonly kind: 'failed'; readonly call: number; readonly thrown: SerializedError; readonly loaded: boolean };
