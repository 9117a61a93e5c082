import { parseName } from '../../catalog/names.ts';
import type { CatalogNotice } from '../../catalog/snapshot.ts';
import { isUnmatchedNotice } from '../../catalog/transforms/shaping/shaping-keys.ts';
import type { ToolDefinition } from '../../core/tools/tool.ts';
import { maxNameLength, namesOf } from '../../core/tools/tool-names.ts';

/** Returns what to do about a notice. A tool of an external server cannot be changed here, only renamed or hidden. */
export function fixOfNotice(
  { server, tool, message }: CatalogNotice,
  isForeign: boolean,
  tools: readonly ToolDefinition[] = [],
): string {
  const section = `mcpServers.${server}.tools`;
  if (isUnmatchedNotice(message)) return `correct it in ${section}, or take it out`;
  if (message.includes('("passthrough")'))
    return `take "passthrough" out of mcpServers.${server} where its calls should be decided and can be undone`;
  const definition = tools.find(({ name }) => name === tool);
  const own = definition?.renamedFrom ?? definition?.id.tool ?? parseName(tool)?.tool ?? tool;
  if (/^name ".*" is (?:shortened to|rendered as) "/.test(message) && definition !== undefined) {
    const rename = JSON.stringify({ rename: { [own]: shortName(own, server, tools) } }).slice(1, -1);
    return `rules and calls take the whole name too; for a name that fits, put ${rename} into ${section}`;
  }
  if (!isForeign) return 'change the tool’s definition';
  const deny = `add ${JSON.stringify(own)} to ${section}.deny`;
  if (/^its (?:definition|description) /.test(message))
    return `read its definition; if you do not trust it, ${deny}; else accept it with signalbox lock accept ${server}`;
  return `tell the author of server "${server}", or ${deny}`;
}

/** Returns a name for a tool that is short enough and that no tool of its server has. */
function shortName(own: string, server: string, tools: readonly ToolDefinition[]): string {
  const taken = new Set(tools.filter(({ id }) => id.server === server).flatMap((tool) => namesOf(tool).all));
  const room = maxNameLength - `mcp__${server}__`.length;
  const safe = own.replace(/[^A-Za-z0-9_-]/gu, '_');
  for (let count = 1; ; count += 1) {
    const end = count === 1 ? '' : `_${count}`;
    const name = safe.slice(0, room - end.length).replace(/[_-]+$/, '') + end;
    if (name !== '' && !taken.has(name)) return name;
  }
}
