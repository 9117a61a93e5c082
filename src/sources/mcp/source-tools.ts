import { hash } from 'node:crypto';
import { SchemaCompiler, type Validate } from '../../catalog/json-schema.ts';
import { DefinitionBudget, definitionLimits } from '../../catalog/definition-limits.ts';
import { clipped } from '../../catalog/lock/difference.ts';
import type { SourceTool, WithheldTool } from '../../catalog/source.ts';
import type { ToolContext } from '../../model/context.ts';
import { type JsonObject, type JsonSchema, type JsonValue, isJsonObject } from '../../model/json.ts';
import { type ToolAnnotations, claimedEffect } from '../../model/tool.ts';
import { type ParameterHeaders, parameterHeaders, parameterHeadersProblem } from '../../catalog/parameter-headers.ts';

/** Runs a tool of the server by its own name. */
export type RunRemote = (
  name: string,
  args: JsonObject,
  context: ToolContext,
  headers: ParameterHeaders | undefined,
) => Promise<JsonObject>;

/** What the tools of a server come to. */
export interface ToolListing {
  readonly tools: readonly SourceTool[];
  readonly notices: readonly string[];
  /** Tools that exceed a limit. */
  readonly hidden: readonly WithheldTool[];
}

interface Kept {
  /** Tells a definition from any other, in less room than its text. */
  readonly digest: string;
  readonly tool: SourceTool;
}

/** Turns what a server lists into tools. A tool that is listed again unchanged stays the same object. */
export class SourceTools {
  readonly #run: RunRemote;
  readonly #checkSchemas: boolean;
  readonly #onChange: () => void;
  readonly #compiler = new SchemaCompiler();
  #kept: readonly Kept[] = [];
  #listing: ToolListing = { tools: [], notices: [], hidden: [] };

  constructor(run: RunRemote, checkSchemas: boolean, onChange: () => void) {
    this.#run = run;
    this.#checkSchemas = checkSchemas;
    this.#onChange = onChange;
  }

  get listing(): ToolListing {
    return this.#listing;
  }

  /** Takes a new list. `withHeaders`: arguments that schemas mark go along as headers, so the marks must be such that they can. */
  update(definitions: readonly JsonValue[], withHeaders: boolean): void {
    const before = new Map(this.#kept.map((kept) => [kept.digest, kept]));
    const notices: string[] = [];
    const hidden: WithheldTool[] = [];
    const since = new Map(this.#listing.hidden.map((each) => [each.tool, each.since]));
    const budget = new DefinitionBudget(definitionLimits.maxTools);
    const kept = definitions.flatMap((given, index): Kept[] => {
      const limited = isDefinition(given) ? budget.take(given) : undefined;
      if (isDefinition(given) && limited?.problem !== undefined) {
        const tool = clipped(given.name, definitionLimits.maxNameLength);
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
    const isSame = kept.length === this.#kept.length && kept.every((each, index) => each === this.#kept[index]);
    const isHiddenSame = JSON.stringify(hidden) === JSON.stringify(this.#listing.hidden);
    if (isSame && isHiddenSame && notices.join() === this.#listing.notices.join()) return;
    this.#keep(kept, notices, hidden);
  }

  #keep(kept: readonly Kept[], notices: readonly string[], hidden: readonly WithheldTool[]): void {
    this.#kept = kept;
    this.#listing = { tools: kept.map(({ tool }) => tool), notices, hidden };
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
    const validator = new LazyValidator(this.#compiler, inputSchema ?? true, (reason) => this.#note(tool, reason));
    const tool: SourceTool = {
      tool: name,
      ...(typeof title === 'string' ? { title } : {}),
      description: typeof description === 'string' ? description : '',
      inputSchema: inputSchema ?? { type: 'object' },
      ...(isJsonObject(outputSchema) ? { outputSchema } : {}),
      annotations,
      effect: claimedEffect(annotations),
      // What a server says of itself is not enough to have an effect happen twice.
      idempotent: false,
      labels: [],
      ...(isJsonObject(_meta) ? { _meta } : {}),
      ...(Object.keys(fields).length > 0 ? { fields } : {}),
      returnsMcpResult: true,
      notices: [
        ...limits,
        ...(inputSchema === undefined ? ['it has no input schema; its arguments are not checked'] : []),
      ],
      parse: (args) => validator.parse(args),
      run: (args, context) => this.#run(name, args as JsonObject, context, headers),
    };
    const problem = this.#checkSchemas ? validator.problem() : undefined;
    return problem === undefined ? tool : { ...tool, notices: [...tool.notices, problem] };
  }

  /** Puts in the place of a tool the same with a notice. */
  #note(tool: SourceTool, notice: string): void {
    if (!this.#kept.some((each) => each.tool === tool)) return;
    const noted = { ...tool, notices: [...tool.notices, notice] };
    const kept = this.#kept.map((each) => (each.tool === tool ? { ...each, tool: noted } : each));
    this.#keep(kept, this.#listing.notices, this.#listing.hidden);
  }
}

/** A schema that is compiled when it is first needed. One that cannot be compiled lets everything through. */
class LazyValidator {
  readonly #compiler: SchemaCompiler;
  readonly #schema: JsonSchema;
  readonly #onProblem: (problem: string) => void;
  #validate: Validate | undefined;
  #problem: string | undefined;

  constructor(compiler: SchemaCompiler, schema: JsonSchema, onProblem: (problem: string) => void) {
    this.#compiler = compiler;
    this.#schema = schema;
    this.#onProblem = onProblem;
  }

  parse(args: JsonObject): ReturnType<SourceTool['parse']> {
    if (this.#validate === undefined) {
      const problem = this.problem();
      if (problem !== undefined) this.#onProblem(problem);
    }
    const problems = this.#validate?.(args);
    return problems === undefined ? { ok: true, value: args } : { ok: false, problems };
  }

  /** Why the schema cannot be used, if so. */
  problem(): string | undefined {
    if (this.#validate !== undefined) return this.#problem;
    const compiled = this.#compiler.compile(this.#schema);
    this.#validate = compiled.ok ? compiled.validate : () => undefined;
    if (!compiled.ok)
      this.#problem = `its input schema cannot be compiled, so its arguments are not checked: ${compiled.reason}`;
    return this.#problem;
  }
}

type Definition = JsonObject & { readonly name: string };

function isDefinition(value: JsonValue): value is Definition {
  return isJsonObject(value) && typeof value['name'] === 'string' && value['name'] !== '';
}

function headersProblem({ inputSchema }: Definition): string | undefined {
  return isJsonObject(inputSchema) ? parameterHeadersProblem(inputSchema) : undefined;
}
