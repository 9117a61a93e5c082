import { type SchemaCompiler, unusableSchemaNotice } from '../../catalog/schema/schema-compiler.ts';
import type { SourceTool } from '../../catalog/source/source.ts';
import { trustSchema } from '../../catalog/transforms/shaping/shape-source.ts';
import { SignalboxError } from '../../core/errors.ts';
import type { JsonSchema } from '../../core/json/json.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { Effect } from '../../core/tools/tool.ts';
import type { SignalboxTool } from './define-tool.ts';
import { type Isolate, createIsolate } from './isolate/isolate.ts';
import { type CompiledToolSchema, compileToolSchema } from './compile-tool-schema.ts';

/** A tool in the form of the catalog, with the isolate that it may own. */
export interface LocalTool {
  readonly offered: SourceTool;
  readonly isolate: Isolate | undefined;
}

const noArguments = { type: 'object', properties: {} } as const;

/** Converts a tool to the form of the catalog: compiles its schemas, derives its effect, creates its isolate. */
export function localTool(tool: SignalboxTool, compiler: SchemaCompiler, server: string): LocalTool {
  const where = `tool "${tool.name}" of server "${server}"`;
  const input = compileToolSchema(tool.input ?? noArguments, compiler, `${where}, input`);
  assertObject(input.json, where);
  const output = tool.output === undefined ? undefined : compileToolSchema(tool.output, compiler, `${where}, output`);
  const isolate =
    tool.isolate === undefined || tool.isolate === false
      ? undefined
      : createIsolate({ tool: tool.name, handler: tool.run, isolate: tool.isolate });
  const run = isolate === undefined ? tool.run.bind(tool) : isolate.run.bind(isolate);
  const offered: SourceTool = omitUndefined({
    tool: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: input.json,
    outputSchema: output?.json,
    checkOutput: output && outputCheck(output),
    annotations: tool.annotations ?? {},
    effect: effectOf(tool),
    idempotent: tool.idempotent ?? tool.annotations?.idempotentHint ?? false,
    labels: tool.labels ?? [],
    timeoutMs: tool.timeoutMs,
    providerOptions: tool.providerOptions,
    notices: [...input.notices, ...outputNotices(output)],
    schemaProblem: input.problem === undefined ? undefined : unusableSchemaNotice(input.problem),
    parse: (args: unknown) => input.parse(args),
    parseTrusting: input.parseTrusting,
    run,
    unlisted: tool.unlisted,
    forward: tool.forward,
    undo: tool.undo?.bind(tool),
    workspace: tool.workspace,
  });
  return { offered: tool.schema === 'trust' ? trustSchema(offered) : offered, isolate };
}

/** Returns the notices about an output schema; one that does not compile gets a notice that results are not checked. */
function outputNotices(output: CompiledToolSchema | undefined): readonly string[] {
  if (output?.problem === undefined) return output?.notices ?? [];
  return [`its output schema cannot be used (${output.problem}); results are not checked against it`];
}

function assertObject(json: JsonSchema, where: string): void {
  const type = typeof json === 'object' ? json['type'] : undefined;
  if (type === undefined || type === 'object') return;
  throw new SignalboxError(
    'schema-unsupported',
    `${where}, input: arguments are always an object, but the schema describes ${JSON.stringify(type)}; wrap it in an object`,
  );
}

/** Returns the effect of a tool. An undeclared effect is the most restrictive one, so that a forgotten declaration never skips an approval. */
function effectOf(tool: SignalboxTool): Effect {
  if (tool.effect !== undefined) return tool.effect;
  if (tool.annotations?.readOnlyHint === true) return 'read';
  return tool.undo === undefined ? 'irreversible' : 'compensable';
}

/** Returns a function that checks a result. Without a usable schema every result passes, because its effect has already happened. */
function outputCheck(output: CompiledToolSchema): NonNullable<SourceTool['checkOutput']> {
  if (output.problem !== undefined) return () => undefined;
  return async (value) => {
    const parsed = await output.parse(value);
    return parsed.ok ? undefined : [...parsed.problems];
  };
}
