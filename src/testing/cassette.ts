import { readFileSync } from 'node:fs';
import { messageOf } from '../core/errors.ts';
import type { JsonObject, JsonValue } from '../core/json/json.ts';
import type { ToolDescription } from '../core/tools/tool.ts';

/** A tool as it was when its calls were recorded. */
export type RecordedTool = ToolDescription & { readonly tool: string };

/** One call as it was recorded: what came back, or what was thrown. */
export interface RecordedCall {
  readonly call: string;
  readonly arguments: JsonObject;
  readonly result?: JsonValue;
  readonly error?: string;
  /** The JSON-RPC error that caused it. */
  readonly rpc?: { readonly code: number; readonly message: string; readonly data?: JsonValue };
}

/** What begins a cassette, and stands in it again whenever the tools changed. */
export interface RecordedServer {
  readonly signalbox: 1;
  readonly server: string;
  readonly instructions?: string;
  readonly tools: readonly RecordedTool[];
}

/** Calls of one server with their results: a file with one JSON document in each line. */
export interface Cassette {
  readonly file: string;
  readonly server: RecordedServer;
  readonly calls: readonly RecordedCall[];
}

/** Reads a cassette. Throws with file and line where it is none. */
export function readCassette(file: string): Cassette {
  const lines = readFileSync(file, 'utf8').split('\n');
  const calls: RecordedCall[] = [];
  let server: RecordedServer | undefined;
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    const parsed = parseLine(line, `${file}:${index + 1}`);
    if ('signalbox' in parsed) server = parsed;
    else calls.push(parsed);
  }
  if (server === undefined)
    throw new Error(`${file} holds no recording: it does not begin with a server; record again`);
  return { file, server, calls };
}

function parseLine(line: string, place: string): RecordedServer | RecordedCall {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new Error(`${place} is not JSON: ${messageOf(error)}; record again`, { cause: error });
  }
  if (typeof value === 'object' && value !== null) {
    if ('signalbox' in value && value.signalbox === 1 && 'tools' in value) return value as RecordedServer;
    if ('call' in value && 'arguments' in value) return value as RecordedCall;
  }
  throw new Error(`${place} is neither a server nor a call of this version's recordings; record again`);
}
