import { readFileSync } from 'node:fs';
import { messageOf } from '../core/errors.ts';
import type { JsonObject, JsonValue } from '../core/json/json.ts';
import type { ToolDescription } from '../core/tools/tool.ts';

/** A tool, as of the recording of its calls. */
export type RecordedTool = ToolDescription & { readonly tool: string };

/** One recorded call, with its result or error. */
export interface RecordedCall {
  readonly call: string;
  readonly arguments: JsonObject;
  readonly result?: JsonValue;
  readonly error?: string;
  /** The JSON-RPC error that caused the failure. */
  readonly rpc?: { readonly code: number; readonly message: string; readonly data?: JsonValue };
}

/** The header of a cassette. It is repeated whenever the tools changed. */
export interface RecordedServer {
  readonly signalbox: 1;
  readonly server: string;
  readonly instructions?: string;
  readonly tools: readonly RecordedTool[];
}

/** A recording of the calls of one server with their results: a file with one JSON document per line. */
export interface Cassette {
  readonly file: string;
  readonly server: RecordedServer;
  readonly calls: readonly RecordedCall[];
}

/** Reads a cassette. Throws an error with file and line when the file is not a valid cassette. */
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
    throw new Error(`${file} contains no recording: it does not begin with a server; record again`);
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
