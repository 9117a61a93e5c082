import { messageOf } from '../../core/errors.ts';
import { type JsonObject, type JsonValue, inspectJson, isJsonObject } from '../../core/json/json.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import { canonicalJson } from './canonical-json.ts';
import {
  type Lock,
  type LockedDefinition,
  type LockedInstructions,
  type LockedSchema,
  type LockedServer,
  type LockedTool,
  lockVersion,
} from './lock-types.ts';
import { pinDefinition, pinInstructions } from './locked-server.ts';

type Path = readonly string[];

/** Parses a lock file. Throws a `LockError` for anything unknown, because a partially understood lock does not protect. */
export function parseLock(text: string): Lock {
  const document = object(parseJson(text), []);
  const { lockVersion: version } = document;
  if (version === undefined) throw new LockError(['lockVersion'], 'is missing');
  if (version !== lockVersion)
    throw new LockError(
      ['lockVersion'],
      `is ${shown(version)}, and this version of Signalbox reads only ${lockVersion}`,
    );
  assertKnownKeys(document, ['lockVersion', 'servers'], []);
  return { servers: entries(document['servers'], ['servers'], readServer) };
}

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new LockError([], `is not JSON: ${messageOf(error)}`, { cause: error });
  }
  const inspection = inspectJson(value);
  if (!inspection.ok) throw new LockError([], `${inspection.problem} (at ${inspection.path})`);
  return value;
}

function readServer(value: JsonValue, path: Path): LockedServer {
  const server = object(value, path);
  assertKnownKeys(server, ['instructions', 'tools'], path);
  return omitUndefined({
    instructions: optional(server, 'instructions', path, readInstructions),
    tools: entries(server['tools'], [...path, 'tools'], readTool),
  });
}

/** Older locks have only the hash. */
function readInstructions(value: JsonValue, path: Path): LockedInstructions {
  if (!isJsonObject(value)) return { hash: string(value, path) };
  assertKnownKeys(value, ['hash', 'text'], path);
  const pinned = pinInstructions(string(value['text'], [...path, 'text']));
  return { ...pinned, hash: verifiedHash(value, pinned.hash, path) };
}

function readTool(value: JsonValue, path: Path): LockedTool {
  const tool = object(value, path);
  assertKnownKeys(
    tool,
    ['hash', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations', '_meta', 'fields'],
    path,
  );
  const definition: LockedDefinition = omitUndefined({
    title: optional(tool, 'title', path, string),
    description: string(tool['description'], [...path, 'description']),
    inputSchema: schema(tool['inputSchema'], [...path, 'inputSchema']),
    outputSchema: optional(tool, 'outputSchema', path, schema),
    annotations: optional(tool, 'annotations', path, object),
    _meta: optional(tool, '_meta', path, object),
    fields: optional(tool, 'fields', path, object),
  });
  const pinned = pinDefinition(definition);
  return { ...pinned, hash: verifiedHash(tool, pinned.hash, path) };
}

function verifiedHash(parent: JsonObject, hash: string, path: Path): string {
  if (string(parent['hash'], [...path, 'hash']) === hash) return hash;
  throw new LockError([...path, 'hash'], 'does not match the definition next to it; one of them was edited by hand');
}

function optional<Value>(
  parent: JsonObject,
  key: string,
  path: Path,
  read: (value: JsonValue, path: Path) => Value,
): Value | undefined {
  const value = parent[key];
  return value === undefined ? undefined : read(value, [...path, key]);
}

function entries<Entry>(
  value: JsonValue | undefined,
  path: Path,
  read: (value: JsonValue, path: Path) => Entry,
): Map<string, Entry> {
  return new Map(Object.entries(object(value, path)).map(([key, entry]) => [key, read(entry, [...path, key])]));
}

function assertKnownKeys(value: JsonObject, known: readonly string[], path: Path): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new LockError([...path, unknown], `is unknown; expected ${known.join(', ')}`);
}

function object(value: unknown, path: Path): JsonObject {
  if (isJsonObject(value)) return value;
  throw new LockError(path, mismatch(value, 'an object'));
}

function string(value: JsonValue | undefined, path: Path): string {
  if (typeof value === 'string') return value;
  throw new LockError(path, mismatch(value, 'text'));
}

function schema(value: JsonValue | undefined, path: Path): LockedSchema {
  if (typeof value === 'boolean' || isJsonObject(value)) return value;
  throw new LockError(path, mismatch(value, 'a JSON Schema'));
}

function mismatch(value: unknown, expected: string): string {
  return value === undefined ? 'is missing' : `expected ${expected}, found ${shown(value)}`;
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 40);
}

/** A problem in a lock file, with its location. */
export class LockError extends Error {
  override readonly name = 'LockError';
  /** The keys from the root; empty for a problem of the whole file. */
  readonly path: readonly string[];

  constructor(path: readonly string[], message: string, options?: ErrorOptions) {
    super(message, options);
    this.path = path;
  }
}

/** Serializes a lock. Equal locks give equal text, whatever their order. */
export function printLock(lock: Lock): string {
  const servers = [...lock.servers].map(([name, { tools, instructions }]) => [
    name,
    omitUndefined({ instructions: instructions && printed(instructions), tools: Object.fromEntries(tools) }),
  ]);
  const sorted = canonicalJson({ servers: Object.fromEntries(servers) as JsonObject }) as JsonObject;
  return `${JSON.stringify({ lockVersion, ...sorted }, undefined, 2)}\n`;
}

/** Serializes instructions; those that were read without their text are written without it. */
function printed({ hash, text }: LockedInstructions): JsonValue {
  return text === undefined ? hash : { hash, text };
}
