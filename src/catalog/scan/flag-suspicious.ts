import { getOrInsert } from '../../core/get-or-insert.ts';
import type { CatalogTool } from '../catalog-tool.ts';
import { schemaTexts } from '../transforms/sanitize-schema.ts';
import type { SourceTool } from '../source/source.ts';
import { listFirst, scanTexts } from './scan-text.ts';

type ToolText = Pick<
  SourceTool,
  'tool' | 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations' | '_meta' | 'fields'
>;

const maxLength = 400_000;

/** Returns the signs of an attack on a model that reads the definition of a tool. */
export function flagSuspicious(tool: ToolText): string[] {
  return scanTexts([...textsOf(tool)]).map((flag) => `its definition ${flag}`);
}

/** Returns the signs of an attack in a text that a server provides to models, such as its instructions. */
export function flagText(what: string, texts: readonly string[]): string[] {
  return scanTexts(texts).map((flag) => `${what} ${flag}`);
}

/** Returns the words of a definition that could be names of tools: `send_email`, not `read`, which is a word as well. */
function mentionedNames(tool: ToolText): ReadonlySet<string> {
  const text = [...textsOf(tool)].slice(1).join('\n').slice(0, maxLength);
  const words = text.match(/[\p{L}\p{N}_][\p{L}\p{N}_.-]*/gu) ?? [];
  return new Set(words.map((word) => word.replace(/[.-]+$/, '')).filter(isDistinctive));
}

function* textsOf(tool: ToolText): Generator<string> {
  yield tool.tool;
  yield tool.title ?? '';
  yield tool.annotations.title ?? '';
  yield tool.description;
  yield* schemaTexts(tool.inputSchema);
  yield* schemaTexts(tool.outputSchema);
  yield* schemaTexts(tool.fields);
  yield* schemaTexts(tool._meta);
}

function isDistinctive(name: string): boolean {
  return name.length > 4 && /[_\-.]|[a-z][A-Z]/.test(name);
}

const namesByDefinition = new WeakMap<CatalogTool['definition'], ReadonlySet<string>>();

/** Returns a flag for each tool whose definition names tools of other servers. Names that its own server also has do not count. */
export function flagsByTool(tools: Iterable<CatalogTool>): ReadonlyMap<CatalogTool, readonly string[]> {
  const all = [...tools];
  const owners = new Map<string, Set<string>>();
  for (const { definition } of all)
    for (const name of [definition.id.tool, definition.renamedFrom ?? definition.id.tool])
      owners.set(name, (owners.get(name) ?? new Set()).add(definition.id.server));
  const flags = new Map<CatalogTool, readonly string[]>();
  for (const each of all) {
    // Tools in this process are the user's own code.
    if (each.source.adapter.startsWith('local:')) continue;
    const { server } = each.definition.id;
    const names = getOrInsert(namesByDefinition, each.definition, () =>
      mentionedNames({ ...each.offered, ...each.definition }),
    );
    const named = [...names].filter((name) => {
      const servers = owners.get(name);
      return servers !== undefined && !servers.has(server);
    });
    if (named.length > 0) flags.set(each, [`its definition mentions tools of other servers: ${listFirst(named)}`]);
  }
  return flags;
}
