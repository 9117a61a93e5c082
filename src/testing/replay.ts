import canonicalize from 'canonicalize';
import { type Compiled, SchemaCompiler } from '../catalog/schema/schema-compiler.ts';
import type { Source, SourceTool } from '../catalog/source/source.ts';
import type { JsonObject } from '../core/json/json.ts';
import { RpcError } from '../core/tools/source-errors.ts';
import { type Cassette, type RecordedCall, type RecordedTool, readCassette } from './cassette.ts';

/** Options of `replay`. */
export interface ReplayOptions {
  /** Repeats the last result when a call is made more often than recorded. By default, such a call fails. */
  readonly repeat?: boolean;
}

/** A server that answers from a recording. */
export interface ReplayServer extends Source {
  /** Returns the recorded calls that were not replayed yet. */
  unused(): readonly RecordedCall[];
}

/**
 * Creates a server that offers the tools of a recording and returns the recorded results: equal arguments, in any key order,
 * get the recorded results in sequence. Contacts no server and runs no tool.
 *
 * @example
 * const box = await createSignalbox({ servers: [replay('test/recordings/search.jsonl')] });
 */
export function replay(recording: string | Cassette, options: ReplayOptions = {}): ReplayServer {
  const cassette = typeof recording === 'string' ? readCassette(recording) : recording;
  const compiler = new SchemaCompiler();
  const open = new Map<string, RecordedCall[]>();
  const last = new Map<string, RecordedCall>();
  for (const call of cassette.calls) {
    const key = keyOf(call.call, call.arguments);
    const calls = open.get(key);
    if (calls === undefined) open.set(key, [call]);
    else calls.push(call);
  }

  const answer = (tool: string, args: JsonObject): RecordedCall => {
    const key = keyOf(tool, args);
    const next = open.get(key)?.shift() ?? (options.repeat === true ? last.get(key) : undefined);
    if (next === undefined) throw new Error(unrecorded(cassette, tool, args, last.has(key)));
    last.set(key, next);
    return next;
  };
  const offered = (recorded: RecordedTool): SourceTool => {
    let compiled: Compiled | undefined;
    return {
      ...recorded,
      notices: [],
      parse(args) {
        compiled ??= compiler.compile(recorded.inputSchema);
        const problems = compiled.ok ? compiled.validate(args) : undefined;
        return problems === undefined ? { ok: true, value: args } : { ok: false, problems };
      },
      run(args) {
        const { error, rpc, result } = answer(recorded.tool, args as JsonObject);
        if (rpc !== undefined) throw new RpcError(rpc.code, rpc.message, rpc.data);
        if (error !== undefined) throw new Error(error);
        return result;
      },
    };
  };
  const { server, instructions, tools } = cassette.server;
  const state = { tools: tools.map(offered), ...(instructions === undefined ? {} : { instructions }) };
  return {
    server,
    adapter: `replay:${server}`,
    limits: {},
    state: () => state,
    subscribe: () => () => undefined,
    async close() {},
    unused: () => [...open.values()].flat(),
  };
}

function keyOf(tool: string, args: JsonObject): string {
  return `${tool} ${canonicalize(args)}`;
}

function unrecorded({ file, calls }: Cassette, tool: string, args: JsonObject, wasUsed: boolean): string {
  const given = JSON.stringify(args);
  if (wasUsed)
    return `${tool} was called with ${given} more often than it was recorded in ${file}; record again, or replay with repeat`;
  const others = calls.filter(({ call }) => call === tool).map((call) => JSON.stringify(call.arguments));
  const known =
    others.length === 0 ? 'no call of it is recorded' : `recorded are ${[...new Set(others)].slice(0, 5).join(', ')}`;
  return `${tool} was called with ${given}, which is not recorded in ${file}: ${known}; record again`;
}
