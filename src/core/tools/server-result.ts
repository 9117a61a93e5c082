import { type JsonObject, type JsonValue, isJsonObject } from '../json/json.ts';

/** The prefix of the `_meta` keys that Signalbox defines. */
const ownMetaPrefix = 'signalbox/';

/**
 * Returns a server's result without the parts that only Signalbox may send to its clients: `_meta` keys with the prefix `signalbox/`, and
 * fields about a single exchange (result type, cache lifetime, input requests, task), which Signalbox sets for each client.
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
  return withoutOwnMeta(withoutMetaInBlocks(rest));
}

/** Returns an object without the `_meta` keys that only Signalbox may set; the same object when it has none. */
export function withoutOwnMeta(given: JsonObject): JsonObject {
  const meta = given['_meta'];
  if (!isJsonObject(meta)) return given;
  const entries = Object.entries(meta);
  const allowed = entries.filter(([key]) => !key.startsWith(ownMetaPrefix));
  if (allowed.length === entries.length) return given;
  const { _meta, ...others } = given;
  return allowed.length === 0 ? others : { ...others, _meta: Object.fromEntries(allowed) };
}

/** Removes `_meta` from content blocks: in `content` of a tool, in `contents` of a resource, and in the messages of a prompt. */
function withoutMetaInBlocks(result: JsonObject): JsonObject {
  let changed: Record<string, JsonValue> | undefined;
  for (const key of ['content', 'contents', 'messages']) {
    const blocks = result[key];
    if (!Array.isArray(blocks)) continue;
    if ((blocks as readonly JsonValue[]).every(hasNoMeta)) continue;
    (changed ??= { ...result })[key] = (blocks as readonly JsonValue[]).map(withoutMetaInBlock);
  }
  return changed ?? result;
}

/** Returns whether nothing can be removed from a block. Most have no `_meta`, and a copy would take longer than this. */
function hasNoMeta(block: JsonValue): boolean {
  if (!isJsonObject(block)) return true;
  return block['_meta'] === undefined && !isJsonObject(block['resource']) && !isJsonObject(block['content']);
}

function withoutMetaInBlock(block: JsonValue): JsonValue {
  if (!isJsonObject(block)) return block;
  const clean = withoutOwnMeta(block);
  const { resource, content } = clean;
  const inner = {
    ...(isJsonObject(resource) ? { resource: withoutMetaInBlock(resource) } : {}),
    ...(isJsonObject(content) ? { content: withoutMetaInBlock(content) } : {}),
  };
  const isSame = (inner.resource ?? resource) === resource && (inner.content ?? content) === content;
  return isSame ? clean : { ...clean, ...inner };
}
