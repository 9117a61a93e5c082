import { hash } from 'node:crypto';
import { sanitizeText } from '../../src/catalog/transforms/sanitize-text.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../src/core/json/json.ts';
import { jsonText } from './json-text.ts';
import type { RpcReply } from './rpc-client.ts';

/**
 * The changes that the documentation announces, and nothing else: what these functions do not undo or expect is a difference.
 * Each names the page that documents it.
 */

const maxInstructionChars = 2000;

/** The names under which a client knows the tools and prompts of one server, by the server's own. */
export type Renames = ReadonlyMap<string, string>;

/** Reads from the listed names how the server's own were rendered: `mcp__{server}__{tool}`, or shortened (docs/reference/mcp.md). */
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

/** Whether a listed tool is one of Signalbox's own, which every client is offered (docs/reference/mcp.md). */
export function isBuiltin(name: string): boolean {
  return name.startsWith('mcp__signalbox__');
}

/**
 * A definition of a tool, prompt, resource or template as it is listed (docs/reference/mcp.md, docs/decisions/mcp-sources.md): without
 * hidden characters, and with the type that MCP demands of an input schema.
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

/** A result of `tools/call` (docs/reference/mcp.md): the oldest servers send one without the `content` that MCP demands. */
export function expectedCall(reply: RpcReply): RpcReply {
  return 'error' in reply ? reply : { result: { content: [], ...reply.result } };
}

/** Capabilities of a server that Signalbox does not offer (docs/reference/mcp.md). */
const notOffered = new Set(['tasks', 'experimental']);

/**
 * The initialize result is Signalbox's own (docs/reference/mcp.md): it must offer the capabilities of the server and pass on its
 * instructions under its name.
 */
export function expectedInitialize(server: string, bare: JsonObject, behind: JsonObject): JsonObject {
  const offered = isJsonObject(behind['capabilities']) ? behind['capabilities'] : {};
  const own = isJsonObject(bare['capabilities']) ? bare['capabilities'] : {};
  const missing = Object.entries(own).filter(([key]) => offered[key] === undefined && !notOffered.has(key));
  const instructions = sanitizeText(jsonText(bare['instructions'] ?? '')).trim();
  const passedOn = `The server ${server} says of its own tools:\n${clipped(instructions)}`;
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
