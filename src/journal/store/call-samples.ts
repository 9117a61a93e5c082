import type { OutcomeName } from '../../core/calls/call-outcome.ts';

/** The common properties of a group of calls. `server` and `tool` are empty for calls that reached no tool. */
export interface CallKind {
  readonly server: string;
  readonly tool: string;
  readonly outcome: OutcomeName;
}

/** A position between samples. */
export interface SamplePlace {
  readonly at: number;
  readonly seq: number;
}

/** A query for ended calls. Times are milliseconds since 1970; `until` is exclusive. */
export interface SampleQuery {
  readonly since: number;
  readonly until: number;
  readonly server?: string;
  readonly tool?: string;
  readonly limit: number;
  /** The end of the previous page. */
  readonly after?: SamplePlace;
}

/** Ended calls, oldest first, in columns, because statistics read very many. */
export interface CallSamples {
  readonly kinds: ReadonlyMap<number, CallKind>;
  readonly kind: readonly number[];
  readonly at: readonly number[];
  /** `null` when the duration is unknown. */
  readonly durationMs: readonly (number | null)[];
  /** The beginning of the next page; absent on the last page. */
  readonly next?: SamplePlace;
}
