import { type CatalogSnapshot, nameHiddenTool } from '../../catalog/snapshot.ts';
import { canonicalName, findNamed, namesOf, parseName, renderName } from '../../core/tools/tool-names.ts';
import { usageError } from '../cli-error.ts';

/** Returns the rendered name of a tool that is given as `mcp__server__tool`, `server/tool`, or its own name when that is unique. */
export function resolveTool(given: string, { tools, hidden }: Pick<CatalogSnapshot, 'tools' | 'hidden'>): string {
  const rendered = toRenderedName(given);
  if (rendered !== undefined) return findNamed(tools, given)?.name ?? rendered;
  const callable = tools.filter((tool) => namesOf(tool).bare.includes(given)).map((tool) => tool.name);
  // Hidden tools match only when no callable tool does; the call then reports why the tool is hidden.
  const hiddenNames = hidden
    .filter((tool) => namesOf(nameHiddenTool(tool)).bare.includes(given))
    .map((tool) => tool.name);
  const names = callable.length > 0 ? callable : hiddenNames;
  if (names.length > 1) {
    const next = `name one of them, as in signalbox call ${names[0]}`;
    throw usageError(`"${given}" is the name of ${names.length} tools`, next, {
      lines: names,
      data: { candidates: names },
    });
  }
  // The pipeline rejects an unknown name, suggests the closest one and records the attempt.
  return names[0] ?? given;
}

/** Returns the rendered name of a full tool name; `undefined` for a bare name, which needs the catalog. */
export function toRenderedName(given: string): string | undefined {
  if (parseName(given) !== undefined) return canonicalName(given);
  const slash = given.indexOf('/');
  if (slash <= 0 || slash === given.length - 1) return undefined;
  return renderName({ server: given.slice(0, slash), tool: given.slice(slash + 1) }).name;
}
