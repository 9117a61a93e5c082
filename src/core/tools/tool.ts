import type { JsonObject, JsonSchema } from '../json/json.ts';

/** The effects that a tool may have on the world. */
export const effects = ['read', 'undoable', 'compensable', 'irreversible'] as const;

/** The effect of a tool on the world. */
export type Effect = (typeof effects)[number];

/** Returns whether a value is an effect. */
export function isEffect(value: unknown): value is Effect {
  return effects.some((effect) => effect === value);
}

/** Returns the stricter of two effects. */
export function stricterEffect(one: Effect, other: Effect): Effect {
  return effects.indexOf(one) < effects.indexOf(other) ? other : one;
}

/** The canonical identity of a tool; names are renderings of it. */
export interface ToolId {
  readonly server: string;
  readonly tool: string;
}

/** A tool's hints about itself, as MCP names them. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** Returns the effect that a tool claims by its hints: MCP has no more than "only reads". */
export function claimedEffect(annotations: { readonly readOnlyHint?: unknown }): Effect {
  return annotations.readOnlyHint === true ? 'read' : 'irreversible';
}

/** A definition whose calls need approval until a human accepts it. */
export interface UnacceptedDefinition {
  /** `new`: the tool appeared on a server that was pinned before. */
  readonly kind: 'changed' | 'new';
  /** The differences without the prose of the server, and the next step. */
  readonly reason: string;
}

/** The description of a tool, besides its name. */
export interface ToolDescription {
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations: ToolAnnotations;
  readonly effect: Effect;
  readonly idempotent: boolean;
  readonly labels: readonly string[];
  readonly timeoutMs?: number;
  readonly _meta?: JsonObject;
  /** Fields of the definition that Signalbox passes on without using them: `icons`, `execution`, and unknown ones. */
  readonly fields?: JsonObject;
  /** Options for one model provider, by provider: `{ openai: { strict: true } }`. */
  readonly providerOptions?: JsonObject;
  /** Present while the definition differs from the accepted one. Every call then needs approval. */
  readonly unaccepted?: UnacceptedDefinition;
}

/** The definition of a tool. Immutable: a change creates a new definition with another hash. */
export interface ToolDefinition extends ToolDescription {
  readonly id: ToolId;
  /** The name agents call it by: `mcp__{server}__{tool}`. */
  readonly name: string;
  /** The server's own name for it; absent unless the configuration or a transform renamed it. */
  readonly renamedFrom?: string;
  /** Hash of all other properties. Calls are pinned to it. */
  readonly definitionHash: string;
}
