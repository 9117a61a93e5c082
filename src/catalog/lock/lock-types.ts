import type { JsonObject } from '../../core/json/json.ts';

/** A JSON Schema in JSON form. */
export type LockedSchema = boolean | JsonObject;

/** The definition of a tool as its server lists it, in canonical form. */
export interface LockedDefinition {
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: LockedSchema;
  readonly outputSchema?: LockedSchema;
  readonly annotations?: JsonObject;
  readonly _meta?: JsonObject;
  /** Everything else in the definition: `icons`, `execution`, and unknown fields. */
  readonly fields?: JsonObject;
}

/** A tool at the time of its acceptance. */
export interface LockedTool extends LockedDefinition {
  readonly hash: string;
}

/** The instructions of a server. */
export interface LockedInstructions {
  readonly hash: string;
  /** Absent in older locks. */
  readonly text?: string;
}

/** A server at the time of its acceptance. */
export interface LockedServer {
  readonly instructions?: LockedInstructions;
  /** By the server's own names. */
  readonly tools: ReadonlyMap<string, LockedTool>;
}

/** The definitions that a person accepted, by server. */
export interface Lock {
  readonly servers: ReadonlyMap<string, LockedServer>;
}

export const lockFileName = 'signalbox.lock';
export const lockVersion = 1;
