import type { OutcomeName } from '../../core/calls/call-outcome.ts';

/** What the calls of a sample have in common. `server` and `tool` are empty for calls that reached no tool. */
export interface CallKind {
  readonly server: string;
  readonly tool: string;
  readonly outcome: OutcomeName;
}

/** A place between samples. */
export interface SamplePlace {
  readonly at: number;
  readonly seq: number;
}

/** Which ended calls are wanted. Times are milliseconds since 1970, `until` not included. */
export interface SampleQuery {
  readonly since: number;
  readonly until: number;
  readonly server?: string;
  readonly tool?: string;
  readonly limit: number;
  /** Where the page before ended. */
  readonly after?: SamplePlace;
}

/** Ended calls, oldest first, a column each: there are many, and all of them are wanted. */
export interface CallSamples {
  readonly kinds: ReadonlyMap<number, CallKind>;
  readonly kind: readonly number[];
  readonly at: readonly number[];
  /** `null` where nobody knows how long it took. */
  readonly durationMs: readonly (number | null)[];
  /** Where the next page begins; absent on the last. */
  readonly next?: SamplePlace;
}
