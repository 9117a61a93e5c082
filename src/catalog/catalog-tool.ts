import { escapeInvisible } from '../core/text/escape-invisible.ts';
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { SignalboxError, messageOf } from '../core/errors.ts';
import { inspectJson } from '../core/json/json.ts';
import type { ToolDefinition } from '../core/tools/tool.ts';
import { type RecordedNaming, isContentMethod, recordedNaming, renderName } from '../core/tools/tool-names.ts';
import { type FillDefaults, fillDefaultsOf } from './schema/schema-defaults.ts';
import type { Source, SourceTool } from './source/source.ts';

/** A tool in the catalog: its definition, and the functions that run it. */
export interface CatalogTool {
  readonly definition: ToolDefinition;
  readonly source: Source;
  readonly offered: SourceTool;
  readonly notices: readonly string[];
  /** Signs of an attack in its definition, shown wherever a human decides about the tool. */
  readonly flags: readonly string[];
  /** Fills in defaults; present when the schema has defaults for required arguments. */
  readonly fillDefaults?: FillDefaults;
  /** Present when the rendered name differs from the server's own name for the tool. */
  readonly naming?: RecordedNaming;
}

/** Converts a source's tool to a catalog tool with its rendered name and hash. */
export function catalogTool(source: Source, offered: SourceTool): CatalogTool {
  const id = { server: source.server, tool: offered.tool };
  if (isContentMethod(id.tool) || isContentMethod(offered.remote ?? ''))
    throw new SignalboxError(
      'tool-invalid',
      `server "${id.server}" has a tool named "${offered.remote ?? id.tool}", which is how rules name an MCP method; give it another name`,
    );
  const { name, notice } = renderName(id);
  const told = {
    id,
    name,
    ...(offered.remote === undefined || offered.remote === offered.tool ? {} : { renamedFrom: offered.remote }),
    ...(offered.title === undefined ? {} : { title: offered.title }),
    description: offered.description,
    inputSchema: offered.inputSchema,
    ...(offered.outputSchema === undefined ? {} : { outputSchema: offered.outputSchema }),
    annotations: offered.annotations,
    effect: offered.effect,
    idempotent: offered.idempotent,
    labels: offered.labels,
    ...(offered.timeoutMs === undefined ? {} : { timeoutMs: offered.timeoutMs }),
    ...(offered._meta === undefined ? {} : { _meta: offered._meta }),
    ...(offered.fields === undefined ? {} : { fields: offered.fields }),
    ...(offered.providerOptions === undefined ? {} : { providerOptions: offered.providerOptions }),
    ...(offered.unaccepted === undefined ? {} : { unaccepted: offered.unaccepted }),
  };
  const definition: ToolDefinition = { ...copied(name, told), definitionHash: definitionHash(name, told) };
  deepFreeze(definition);
  const notices = notice === undefined ? offered.notices : [notice, ...offered.notices];
  const naming = recordedNaming(definition);
  const fillDefaults = fillDefaultsOf(definition.inputSchema);
  return {
    definition,
    source,
    offered,
    notices,
    // A flag may contain text from the server.
    flags: (offered.flags ?? []).map((flag) => escapeInvisible(flag)),
    ...(naming === undefined ? {} : { naming }),
    ...(fillDefaults === undefined ? {} : { fillDefaults }),
  };
}

/** Returns a frozen copy, so that later changes to the schema object by its author have no effect. Preserves the order of keys. */
function copied<Told extends object>(name: string, told: Told): Told {
  const inspection = inspectJson(told);
  if (!inspection.ok)
    throw new SignalboxError(
      'tool-invalid',
      `the definition of ${name} is not JSON: ${inspection.problem} (at ${inspection.path})`,
    );
  return JSON.parse(JSON.stringify(told)) as Told;
}

function definitionHash(name: string, told: object): string {
  try {
    return hash('sha256', canonicalize(told) ?? '', 'hex');
  } catch (error) {
    throw new SignalboxError('tool-invalid', `the definition of ${name} is not JSON: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const entry of Object.values(value)) deepFreeze(entry);
  Object.freeze(value);
}
