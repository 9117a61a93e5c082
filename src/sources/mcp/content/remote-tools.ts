import { hash } from 'node:crypto';
import { DefinitionBudget, definitionLimits } from '../../../catalog/source/definition-limits.ts';
import {
  type Compiled,
  SchemaCompiler,
  type Validate,
  unusableSchemaNotice,
} from '../../../catalog/schema/schema-compiler.ts';
import { truncate } from '../../../catalog/lock/difference.ts';
import { inDeclaredDialect } from '../../../catalog/schema/schema-dialect.ts';
import type { ParsedArguments, SourceState, SourceTool, WithheldTool } from '../../../catalog/source/source.ts';
import { trustSchema } from '../../../catalog/transforms/shaping/shape-source.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import type { ToolContext } from '../../../core/tools/tool-context.ts';
import { type JsonObject, type JsonSchema, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import { type ToolAnnotations, claimedEffect } from '../../../core/tools/tool.ts';
import {
  type ParameterHeaders,
  parameterHeaders,
  parameterHeadersProblem,
} from '../../../catalog/schema/parameter-headers.ts';

/** Runs a tool by the server's own name. */
export type RunRemote = (
  name: string,
  args: JsonObject,
  context: ToolContext,
  headers: ParameterHeaders | undefined,
) => Promise<JsonObject>;

/** The tools of a server, after its definitions were checked, and those that exceed a limit. */
type ToolListing = Required<Pick<SourceState, 'tools' | 'notices' | 'hidden'>>;

interface ListedTool {
  /** Hash of the definition. */
  readonly digest: string;
  readonly tool: SourceTool;
}

/** Converts listed definitions to tools. A tool that is listed again unchanged stays the same object. */
export class RemoteTools {
  readonly #run: RunRemote;
  readonly #schemas: Readonly<Record<string, 'trust'>>;
  readonly #onChange: () => void;
  readonly #compiler = new SchemaCompiler();
  #listed: readonly ListedTool[] = [];
  #listing: ToolListing = { tools: [], notices: [], hidden: [] };

  constructor(run: RunRemote, schemas: Readonly<Record<string, 'trust'>>, onChange: () => void) {
    this.#run = run;
    this.#schemas = schemas;
    this.#onChange = onChange;
  }

  get listing(): ToolListing {
    return this.#listing;
  }

  /** Replaces the list. `withHeaders`: arguments that schemas mark are also sent as headers, so tools with invalid marks are left out. */
  update(definitions: readonly JsonValue[], withHeaders: boolean): void {
    const before = new Map(this.#listed.map((listed) => [listed.digest, listed]));
    const notices: string[] = [];
    const hidden: WithheldTool[] = [];
    const since = new Map(this.#listing.hidden.map((each) => [each.tool, each.since]));
    const budget = new DefinitionBudget(definitionLimits.maxTools);
    const listed = definitions.flatMap((given, index): ListedTool[] => {
      const limited = isDefinition(given) ? budget.take(given) : undefined;
      if (isDefinition(given) && limited?.problem !== undefined) {
        const tool = truncate(given.name, definitionLimits.maxNameLength);
        const { problem: reason } = limited;
        hidden.push({ tool, by: 'definition-invalid', reason, since: since.get(tool) ?? Date.now() });
        return [];
      }
      const definition = limited?.definition ?? given;
      if (!isDefinition(definition)) {
        notices.push(`the tool at place ${index + 1} of the server’s list has no name and is left out`);
        return [];
      }
      const problem = withHeaders ? headersProblem(definition) : undefined;
      if (problem !== undefined) {
        notices.push(`the tool ${JSON.stringify(definition.name)} is left out: ${problem}`);
        return [];
      }
      const digest = hash('sha256', JSON.stringify(definition), 'base64');
      return [before.get(digest) ?? { digest, tool: this.#tool(definition, limited?.notices ?? []) }];
    });
    const isSame = listed.length === this.#listed.length && listed.every((each, index) => each === this.#listed[index]);
    const isHiddenSame = JSON.stringify(hidden) === JSON.stringify(this.#listing.hidden);
    if (isSame && isHiddenSame && notices.join() === this.#listing.notices.join()) return;
    this.#replace(listed, notices, hidden);
  }

  #replace(listed: readonly ListedTool[], notices: readonly string[], hidden: readonly WithheldTool[]): void {
    this.#listed = listed;
    this.#listing = { tools: listed.map(({ tool }) => tool), notices, hidden };
    this.#onChange();
  }

  #tool(definition: Definition, limits: readonly string[]): SourceTool {
    const {
      name,
      title,
      description,
      inputSchema: given,
      outputSchema,
      annotations: hints,
      _meta,
      ...fields
    } = definition;
    const annotations = (isJsonObject(hints) ? hints : {}) as ToolAnnotations;
    const inputSchema = isJsonObject(given) ? given : undefined;
    const headers = inputSchema === undefined ? undefined : parameterHeaders(inputSchema);
    const validator = new LazyValidator(this.#compiler, inputSchema ?? true, (found) => this.#hide(tool, found));
    const problem = inputSchema === undefined ? undefined : this.#compiler.problem(inputSchema);
    const tool: SourceTool = omitUndefined({
      tool: name,
      title: typeof title === 'string' ? title : undefined,
      description: typeof description === 'string' ? description : '',
      inputSchema: inputSchema ?? { type: 'object' },
      outputSchema: isJsonObject(outputSchema) ? outputSchema : undefined,
      annotations,
      effect: claimedEffect(annotations),
      // The server's unverified claim is not enough to let an effect happen twice.
      idempotent: false,
      labels: [],
      _meta: isJsonObject(_meta) ? _meta : undefined,
      fields: Object.keys(fields).length > 0 ? fields : undefined,
      returnsMcpResult: true,
      notices: [...limits, ...noticesOf(inputSchema)],
      schemaProblem: problem === undefined ? undefined : unusableSchemaNotice(problem),
      parse: (args: JsonObject) => validator.parse(args),
      parseTrusting: (args: JsonObject) => validator.parseTrusting(args),
      run: (args: unknown, context: ToolContext) => this.#run(name, args as JsonObject, context, headers),
    });
    return Object.hasOwn(this.#schemas, name) ? trustSchema(tool) : tool;
  }

  /** Replaces a tool whose schema does not compile. */
  #hide(tool: SourceTool, schemaProblem: string): void {
    const hidden = { ...tool, schemaProblem };
    const listed = this.#listed.map((each) => (each.tool === tool ? { ...each, tool: hidden } : each));
    this.#replace(listed, this.#listing.notices, this.#listing.hidden);
  }
}

/** A schema that is compiled on first use. One that does not compile rejects all arguments, unless it is trusted. */
class LazyValidator {
  readonly #compiler: SchemaCompiler;
  readonly #schema: JsonSchema;
  readonly #onProblem: (problem: string) => void;
  #compiled: Compiled | undefined;

  constructor(compiler: SchemaCompiler, schema: JsonSchema, onProblem: (problem: string) => void) {
    this.#compiler = compiler;
    this.#schema = schema;
    this.#onProblem = onProblem;
  }

  parse(args: JsonObject): ParsedArguments {
    const compiled = (this.#compiled ??= this.#compile());
    if (!compiled.ok) return { ok: false, problems: [{ path: '$', message: unusableSchemaNotice(compiled.reason) }] };
    return parsedBy(compiled.validate, args);
  }

  parseTrusting(args: JsonObject): ParsedArguments {
    const compiled = this.#compiler.compile(this.#schema, { trust: true });
    return compiled.ok ? parsedBy(compiled.validate, args) : { ok: true, value: args };
  }

  #compile(): Compiled {
    const compiled = this.#compiler.compile(this.#schema);
    if (!compiled.ok) this.#onProblem(unusableSchemaNotice(compiled.reason));
    return compiled;
  }
}

function noticesOf(inputSchema: JsonObject | undefined): readonly string[] {
  if (inputSchema === undefined) return ['it has no input schema; its arguments are not checked'];
  const { notice } = inDeclaredDialect(inputSchema);
  return notice === undefined ? [] : [notice];
}

function parsedBy(validate: Validate, args: JsonObject): ParsedArguments {
  const problems = validate(args);
  return problems === undefined ? { ok: true, value: args } : { ok: false, problems };
}

type Definition = JsonObject & { readonly name: string };

function isDefinition(value: JsonValue): value is Definition {
  return isJsonObject(value) && typeof value['name'] === 'string' && value['name'] !== '';
}

function headersProblem({ inputSchema }: Definition): string | undefined {
  return isJsonObject(inputSchema) ? parameterHeadersProblem(inputSchema) : undefined;
}
