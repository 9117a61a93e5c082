import { type JsonObject, isJsonObject } from './json.ts';

/** The prefix of the `_meta` keys that Signalbox defines. */
const ownMetaPrefix = 'signalbox/';

/**
 * Returns a server's result without the parts that only Signalbox may say to its clients: `_meta` keys with the prefix `signalbox/`, and
 * fields about one exchange (its kind, cache lifetime, questions, task), which Signalbox sets for each client itself.
 */
export function withoutGatewayFields(result: JsonObject): JsonObject {
  const {
    resultType: _type,
    cacheScope: _scope,
    ttlMs: _ttl,
    requestState: _state,
    inputRequests: _requests,
    inputResponses: _responses,
    task: _task,
    ...rest
  } = result;
  const meta = rest['_meta'];
  if (!isJsonObject(meta)) return rest;
  const entries = Object.entries(meta);
  const kept = entries.filter(([key]) => !key.startsWith(ownMetaPrefix));
  if (kept.length === entries.length) return rest;
  const { _meta, ...others } = rest;
  return kept.length === 0 ? others : { ...others, _meta: Object.fromEntries(kept) };
}
