import type { JsonValue } from '../core/json/json.ts';

/** What a runtime wants back in the next turn, and whose it is. */
export interface TurnMemory {
  readonly session: string;
  readonly runtime: string;
  readonly memory: JsonValue;
}

/** What of the memory goes into a turn: nothing of another runtime's; what another session left is gone on from without changing it. */
export function recallTurn(
  text: string | undefined,
  session: string,
  runtime: string,
): { readonly memory?: JsonValue; readonly fork?: boolean } {
  if (text === undefined) return {};
  const kept = JSON.parse(text) as TurnMemory;
  if (kept.runtime !== runtime) return {};
  return { memory: kept.memory, ...(kept.session === session ? {} : { fork: true }) };
}
