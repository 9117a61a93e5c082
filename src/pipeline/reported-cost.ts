import { isJsonObject } from '../core/json/json.ts';

/** Where in `_meta` of its result a tool says what the call cost. */
export const costKey = 'signalbox/costUsd';

/** What is wrong with a cost that is none. */
export const noCost = `_meta["${costKey}"] of its result is not a finite number of at least 0`;

/** What a tool says its call cost, in `_meta["signalbox/costUsd"]` of its result; `NaN` when it says something else than an amount. */
export function reportedCost(returned: unknown): number | undefined {
  if (!isJsonObject(returned) || !isJsonObject(returned['_meta']) || !Object.hasOwn(returned['_meta'], costKey))
    return undefined;
  const cost = returned['_meta'][costKey];
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : Number.NaN;
}
