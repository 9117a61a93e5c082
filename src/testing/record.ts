import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Source, SourceTool } from '../catalog/source/source.ts';
import { transformServer } from '../catalog/transforms/transform-server.ts';
import { createRedactor } from '../redaction/redactor.ts';
import type { ToolContext } from '../core/tools/tool-context.ts';
import { messageOf } from '../core/errors.ts';
import { type JsonObject, type JsonValue, inspectJson } from '../core/json/json.ts';
import { rpcErrorOf } from '../core/tools/source-errors.ts';
import type { RecordedCall, RecordedServer } from './cassette.ts';

/** Options of `record`. */
export interface RecordOptions {
  /** Values that must not be recorded, by the name that replaces them. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/**
 * Wraps a server so that every call is written to a file when it ends, for `replay`. Overwrites the file.
 *
 * @example
 * const box = await createSignalbox({ servers: [record(search, 'test/recordings/search.jsonl')] });
 */
export function record(server: Source, file: string, { secrets = {} }: RecordOptions = {}): Source {
  const redactor = createRedactor();
  for (const [name, value] of Object.entries(secrets)) redactor.add(name, value);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  let lastHeader = '';
  const write = (document: RecordedServer | RecordedCall): void =>
    appendFileSync(file, `${redactor.json(JSON.stringify(document))}\n`);

  /** Writes the header before the first call, and again before the next call after the server changed. */
  const writeHeader = (): void => {
    const { tools, instructions } = server.state();
    const recorded: RecordedServer = {
      signalbox: 1,
      server: server.server,
      ...(instructions === undefined ? {} : { instructions }),
      tools: tools.map(({ parse: _, run: __, checkOutput: ___, notices: ____, ...description }) => description),
    };
    const text = JSON.stringify(recorded);
    if (text === lastHeader) return;
    lastHeader = text;
    write(recorded);
  };

  return transformServer(server, (tool: SourceTool) => ({
    ...tool,
    async run(args: unknown, context: ToolContext) {
      const call = { call: tool.tool, arguments: plain(args) as JsonObject };
      let result: unknown;
      try {
        result = await tool.run(args, context);
      } catch (error) {
        writeHeader();
        write({ ...call, error: messageOf(error), ...rpcOf(error) });
        throw error;
      }
      writeHeader();
      write({ ...call, result: plain(result) });
      return result;
    },
  }));
}

function rpcOf(error: unknown): Pick<RecordedCall, 'rpc'> {
  const rpc = rpcErrorOf(error);
  if (rpc === undefined) return {};
  const { code, message, data } = rpc;
  return { rpc: { code, message, ...(data === undefined ? {} : { data }) } };
}

/** Returns a JSON value unchanged, and null for other values. Calls with such values fail in the pipeline. */
function plain(value: unknown): JsonValue {
  return inspectJson(value ?? null).ok ? ((value ?? null) as JsonValue) : null;
}
