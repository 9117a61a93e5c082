import { closestMatch } from '../../../core/text/closest-match.ts';
import { isMeant, keysFor } from './shaping-keys.ts';
import { type ToolShaping, toolSections } from './tool-shaping.ts';

/** Returns a notice for each name and pattern of a shaping that matches no tool. It is not an error: the server may list the tool later. */
export function unmatched(shaping: ToolShaping, server: string, names: readonly string[]): string[] {
  const known = new Set(names);
  const where = `in ${shaping.origin}`;
  const patterns = (['allow', 'deny'] as const).flatMap((list) =>
    (shaping[list] ?? [])
      .filter((pattern) => !names.some((own) => isMeant(shaping, pattern, { server, own })))
      .map((pattern) => ({ section: list, key: pattern })),
  );
  const renames = Object.keys(shaping.rename ?? {})
    .filter((own) => !known.has(own))
    .map((own) => ({ section: 'rename', key: own }));
  const mentions = toolSections.flatMap((section) => {
    const used = new Set(names.flatMap((own) => keysFor(shaping, section, { server, own })));
    return Object.keys(shaping[section] ?? {})
      .filter((key) => !used.has(key))
      .map((key) => ({ section, key }));
  });
  return [...patterns, ...renames, ...mentions].map(({ section, key }) => {
    if (section === 'allow' || section === 'deny' || key.includes('*'))
      return `${section} pattern ${JSON.stringify(key)} ${where} matches no tool of this server`;
    const meant = closestMatch(
      key,
      [...names, ...Object.values(shaping.rename ?? {})].filter((name) => name !== key),
    );
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    return `${section} ${where} names ${JSON.stringify(key)}, which is not a tool of this server${hint}`;
  });
}

/** Returns whether a notice comes from `unmatched`. */
export function isUnmatchedNotice(message: string): boolean {
  return / (?:matches no tool|is not a tool) of this server/.test(message);
}
