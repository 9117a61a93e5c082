import { escapeInvisible } from '../core/text/escape-invisible.ts';
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { SignalboxError, messageOf } from '../core/errors.ts';
import { inspectJson } from '../core/json/json.ts';
import { omitUndefined } from '../core/omit-undefined.ts';
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
  const { remote, title, description, inputSchema, outputSchema, annotations, effect, idempotent, labels } = offered;
  const { timeoutMs, _meta, fields, providerOptions, unaccepted } = offered;
  const content = omitUndefined({
    id,
    name,
    renamedFrom: remote === offered.tool ? undefined : remote,
    title,
    description,
    inputSchema,
    outputSchema,
    annotations,
    effect,
    idempotent,
    labels,
    timeoutMs,
    _meta,
    fields,
    providerOptions,
    unaccepted,
  });
  const definition: ToolDefinition = { ...copyJson(name, content), definitionHash: definitionHash(name, content) };
  deepFreeze(definition);
  return omitUndefined({
    definition,
    source,
    offered,
    notices: notice === undefined ? offered.notices : [notice, ...offered.notices],
    // A flag may contain text from the server.
    flags: (offered.flags ?? []).map((flag) => escapeInvisible(flag)),
    naming: recordedNaming(definition),
    fillDefaults: fillDefaultsOf(definition.inputSchema),
  });
}

/** Returns a copy, so that later changes to the schema object by its author have no effect. Preserves the order of keys. */
function copyJson<Content extends object>(name: string, content: Content): Content {
  const inspection = inspectJson(content);
  if (!inspection.ok)
    throw new SignalboxError(
      'tool-invalid',
      `the definition of ${name} is not JSON: ${inspection.problem} (at ${inspection.path})`,
    );
  return JSON.parse(JSON.stringify(content)) as Content;
}

function definitionHash(name: string, content: object): string {
  try {
    return hash('sha256', canonicalize(content) ?? '', 'hex');
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
