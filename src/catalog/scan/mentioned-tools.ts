import type { CatalogTool } from '../catalog-tool.ts';
import { flagMentions, mentionedNames } from './flag-suspicious.ts';

const cached = new WeakMap<CatalogTool['definition'], ReadonlySet<string>>();

/** Returns, for each tool that names tools of other servers, the flag that says so. Names that its own server has, too, do not count. */
export function flagsByTool(tools: Iterable<CatalogTool>): ReadonlyMap<CatalogTool, readonly string[]> {
  const all = [...tools];
  const owners = new Map<string, Set<string>>();
  for (const { definition } of all)
    for (const name of [definition.id.tool, definition.renamedFrom ?? definition.id.tool])
      owners.set(name, (owners.get(name) ?? new Set()).add(definition.id.server));
  const flags = new Map<CatalogTool, readonly string[]>();
  for (const each of all) {
    // Code of this process is the user's own.
    if (each.source.adapter.startsWith('local:')) continue;
    const { server } = each.definition.id;
    const named = [...namesIn(each)].filter((name) => {
      const servers = owners.get(name);
      return servers !== undefined && !servers.has(server);
    });
    if (named.length > 0) flags.set(each, flagMentions(named));
  }
  return flags;
}

function namesIn({ definition, offered }: CatalogTool): ReadonlySet<string> {
  let names = cached.get(definition);
  if (names === undefined) cached.set(definition, (names = mentionedNames({ ...offered, ...definition })));
  return names;
}
