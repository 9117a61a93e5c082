import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';

/** An argument that the server also requires as the header `Mcp-Param-{name}`, so that proxies can route by it. */
interface HeaderParameter {
  readonly path: readonly string[];
  readonly name: string;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const plainValue = /^[\x21-\x7E](?:[\t\x20-\x7E]*[\x21-\x7E])?$/;
const encodedValue = /^=\?base64\?.*\?=$/;
const allowedTypes: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
const maxDepth = 32;

/** Returns the headers of a call for its arguments. */
export type ParameterHeaders = (args: JsonObject) => Readonly<Record<string, string>>;

/** Creates the function for the headers of a tool whose schema marks arguments with `x-mcp-header`; returns `undefined` for all other tools. */
export function parameterHeaders(inputSchema: JsonObject): ParameterHeaders | undefined {
  const parameters = [...validMarks(inputSchema)];
  if (parameters.length === 0) return undefined;
  return (args) => {
    const headers: Record<string, string> = {};
    for (const { path, name } of parameters) {
      const value = textOf(at(args, path));
      if (value !== undefined) headers[`Mcp-Param-${name}`] = encodeHeaderValue(value);
    }
    return headers;
  };
}

/**
 * Returns the problem with the header marks of a schema, if there is one. With invalid marks, a server of the 2026 revision could require
 * headers that no client can send, or could confuse one argument with another.
 */
export function parameterHeadersProblem(inputSchema: JsonObject): string | undefined {
  const names = new Set<string>();
  for (const { path, name, type } of headerMarks(inputSchema, [])) {
    const what = `${path.join('.')} is marked with the header ${JSON.stringify(name)}`;
    if (typeof name !== 'string' || !token.test(name)) return `${what}, which is not a valid header name`;
    if (!allowedTypes.has(type)) return `${what}, and only strings, integers and booleans can be`;
    if (names.has(name.toLowerCase())) return `${what}, which another argument has as well`;
    names.add(name.toLowerCase());
  }
  return undefined;
}

function* validMarks(schema: JsonObject): Generator<HeaderParameter> {
  for (const { path, name, type } of headerMarks(schema, []))
    if (typeof name === 'string' && token.test(name) && allowedTypes.has(type)) yield { path, name };
}

interface Mark {
  readonly path: readonly string[];
  readonly name: JsonValue;
  readonly type: JsonValue | undefined;
}

/** Yields the header marks of a schema. Only follows `properties`, because outside them the marked value would be ambiguous. */
function* headerMarks(schema: JsonObject, path: readonly string[]): Generator<Mark> {
  const { properties } = schema;
  if (!isJsonObject(properties) || path.length > maxDepth) return;
  for (const [key, property] of Object.entries(properties)) {
    if (!isJsonObject(property)) continue;
    const here = [...path, key];
    const name = property['x-mcp-header'];
    if (name !== undefined) yield { path: here, name, type: property['type'] };
    yield* headerMarks(property, here);
  }
}

function at(args: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = args;
  for (const key of path) value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Encodes a value in base64 when it is not a valid header value, or when it would look like an encoded value. */
export function encodeHeaderValue(value: string): string {
  if (plainValue.test(value) && !encodedValue.test(value)) return value;
  return `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
