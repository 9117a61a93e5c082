import { parseName } from '../../catalog/names.ts';
import type { CatalogNotice } from '../../catalog/snapshot.ts';

/** What to do about a notice. What is foreign cannot be changed here, only kept out. */
export function fixOfNotice({ server, tool, message }: CatalogNotice, isForeign: boolean): string {
  const section = `mcpServers.${server}.tools`;
  if (/ (?:matches no tool|is no tool) of this server/.test(message)) return `correct it in ${section}, or take it out`;
  if (message.includes('("passthrough")'))
    return `take "passthrough" out of mcpServers.${server} where its calls should be decided and can be undone`;
  if (!isForeign) return 'change the tool’s definition';
  const deny = `add ${JSON.stringify(parseName(tool)?.tool ?? tool)} to ${section}.deny`;
  if (/^its (?:definition|description) /.test(message))
    return `read its definition; if you do not trust it, ${deny}; else accept it with signalbox lock accept ${server}`;
  return `tell the author of server "${server}", or ${deny}`;
}
