import type { Progress } from '../../../core/calls/call.ts';
import type { Principal } from '../../../core/principal.ts';
import type { CallId } from '../../../core/identifiers.ts';
import type { JsonValue } from '../../../core/json/json.ts';

/** Where a worker finds its handler: the default export of a made-up module, or a tool that a real one exports. */
export interface IsolateOrigin {
  readonly tool: string;
  readonly form: 'source' | 'module';
  readonly url: string;
}

/** What a worker is started with. */
export interface IsolateSetup extends IsolateOrigin {
  readonly signalboxIsolate: true;
  /** How many progress messages the main thread has not read yet. */
  readonly backlog: Int32Array<SharedArrayBuffer>;
}

/** One call, on its way into the worker. */
export interface IsolatedCall {
  readonly call: number;
  readonly args: unknown;
  readonly callId: CallId;
  readonly session: string | undefined;
  readonly principal: Principal;
  readonly deadline: number;
  readonly state: ReadonlyMap<string, JsonValue>;
}

/** What a handler changed in the session's state; `undefined` means deleted. */
export type StateChanges = ReadonlyMap<string, JsonValue | undefined>;

/** Something thrown, in a form that crosses between threads. */
export type Thrown =
  | { readonly error: { readonly name: string; readonly message: string; readonly stack: string } }
  | { readonly value: unknown };

/** What comes back from the worker. */
export type WorkerMessage =
  | { readonly kind: 'progress'; readonly call: number; readonly progress: Progress }
  | { readonly kind: 'succeeded'; readonly call: number; readonly value: unknown; readonly changes: StateChanges }
  /** `loaded` is false when there is no handler: such a worker is of no further use. */
  | { readonly kind: 'failed'; readonly call: number; readonly thrown: Thrown; readonly loaded: boolean };
