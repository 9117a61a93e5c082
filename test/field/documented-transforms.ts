import { hash } from 'node:crypto';
import { sanitizeText } from '../../src/catalog/transforms/sanitize-text.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../src/core/json/json.ts';
import { jsonText } from './json-text.ts';
import type { RpcReply } from './rpc-client.ts';

/**
 * The documented changes of Signalbox, and nothing else: every change that these functions do not revert or expect is a difference.
 * Each function names the page that documents the change.
 */

const maxInstructionChars = 2000;

/** Maps the server's own names of tools and prompts to the names for clients. */
export type Renames = ReadonlyMap<string, string>;

/** Finds the listed name of each of the server's own names: `mcp__{server}__{tool}`, or shortened (docs/reference/mcp.md). */
export function renamesIn(server: string, own: readonly string[], listed: readonly string[]): Renames {
  const renames = new Map<string, string>();
  for (const name of own) {
    const full = `mcp__${server}__${name.replace(/[^A-Za-z0-9_-]/gu, '_')}`;
    const mark = `_${hash('sha256', `${server}\n${name}`, 'hex').slice(0, 8)}`;
    const isShortened = (each: string): boolean =>
      each.length < full.length && each.endsWith(mark) && full.startsWith(each.slice(0, -mark.length));
    renames.set(name, listed.find((each) => each === full || isShortened(each)) ?? full);
  }
  return renames;
}

/** Returns whether a listed tool is a built-in tool of Signalbox, which every client sees (docs/reference/mcp.md). */
export function isBuiltin(name: string): boolean {
  return name.startsWith('mcp__signalbox__');
}

/**
 * Returns the expected listed form of a definition (docs/reference/mcp.md, docs/decisions/mcp-sources.md): without hidden characters,
 * and with the type that MCP requires in an input schema.
 */
export function expectedDefinition(definition: JsonObject): JsonObject {
  const { name, uri, uriTemplate } = definition;
  const { inputSchema, ...visible } = withoutHidden(definition) as JsonObject;
  return {
    ...visible,
    ...(isJsonObject(inputSchema) ? { inputSchema: { ...inputSchema, type: 'object' } } : {}),
    ...(name === undefined ? {} : { name }),
    ...(uri === undefined ? {} : { uri }),
    ...(uriTemplate === undefined ? {} : { uriTemplate }),
  };
}

function withoutHidden(value: JsonValue): JsonValue {
  if (typeof value === 'string') return sanitizeText(value);
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(withoutHidden);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutHidden(each)]));
}

/** Returns the expected result of `tools/call` (docs/reference/mcp.md): the oldest servers omit `content`, which MCP requires. */
export function expectedCall(reply: RpcReply): RpcReply {
  return 'error' in reply ? reply : { result: { content: [], ...reply.result } };
}

/** Capabilities of a server that Signalbox does not offer (docs/reference/mcp.md). */
const notOffered = new Set(['tasks', 'experimental']);

/**
 * Returns the expected initialize result (docs/reference/mcp.md). Signalbox creates its own, which must have the capabilities of the
 * server and contain its instructions under its name.
 */
export function expectedInitialize(server: string, direct: JsonObject, behind: JsonObject): JsonObject {
  const offered = isJsonObject(behind['capabilities']) ? behind['capabilities'] : {};
  const own = isJsonObject(direct['capabilities']) ? direct['capabilities'] : {};
  const missing = Object.entries(own).filter(([key]) => offered[key] === undefined && !notOffered.has(key));
  const instructions = sanitizeText(jsonText(direct['instructions'] ?? '')).trim();
  const passedOn = `Instructions of the server ${server} for its own tools:\n${clipped(instructions)}`;
  const isPassedOn = instructions === '' || jsonText(behind['instructions']).includes(passedOn);
  return {
    ...behind,
    capabilities: { ...offered, ...Object.fromEntries(missing) },
    ...(isPassedOn ? {} : { instructions: passedOn }),
  };
}

function clipped(text: string): string {
  return text.length <= maxInstructionChars ? text : `${text.slice(0, maxInstructionChars).toWellFormed()}…`;
}
