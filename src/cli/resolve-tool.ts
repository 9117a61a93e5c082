import { canonicalName, parseName, renderName } from '../catalog/names.ts';
import { type CatalogSnapshot, namedHidden } from '../catalog/snapshot.ts';
import { findNamed, namesOf } from '../core/tools/tool-names.ts';
import { usageFailure } from './fail.ts';

/** The rendered name that a person means by `mcp__server__tool`, `server/tool`, or a tool's own name where it is the only one. */
export function resolveTool(given: string, { tools, hidden }: Pick<CatalogSnapshot, 'tools' | 'hidden'>): string {
  const rendered = renderedName(given);
  if (rendered !== undefined) return findNamed(tools, given)?.name ?? rendered;
  const callable = tools.filter((tool) => namesOf(tool).bare.includes(given)).map((tool) => tool.name);
  // Hidden ones only where nothing callable fits: then the call says why it cannot be made.
  const absent = hidden.filter((tool) => namesOf(namedHidden(tool)).bare.includes(given)).map((tool) => tool.name);
  const names = callable.length > 0 ? callable : absent;
  if (names.length > 1) {
    throw usageFailure(`"${given}" is the name of ${names.length} tools`, {
      lines: names,
      data: { candidates: names },
      next: `name one of them, as in signalbox call ${names[0]}`,
    });
  }
  // A name that fits nothing goes on as it is: the pipeline knows what is near, and records the attempt.
  return names[0] ?? given;
}

/** The rendered name where the catalog is not needed to tell; `undefined` for a tool's bare name. */
export function renderedName(given: string): string | undefined {
  if (parseName(given) !== undefined) return canonicalName(given);
  const slash = given.indexOf('/');
  if (slash <= 0 || slash === given.length - 1) return undefined;
  return renderName({ server: given.slice(0, slash), tool: given.slice(slash + 1) }).name;
}
