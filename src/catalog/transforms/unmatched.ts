import { nearest } from '../../model/nearest.ts';
import { matchesPattern } from '../../model/name-pattern.ts';
import { ownNames } from './tool-mentions.ts';
import { type ToolShaping, toolSections } from './tool-shaping.ts';

/** What a shaping says of tools that are not there. No error: the server may list them later. */
export function unmatched(shaping: ToolShaping, names: readonly string[]): string[] {
  const known = new Set(names);
  const where = `in ${shaping.origin}`;
  const patterns = (['allow', 'deny'] as const).flatMap((list) =>
    (shaping[list] ?? [])
      .filter((pattern) => !names.some((name) => matchesPattern(name, pattern)))
      .map((pattern) => `${list} pattern ${JSON.stringify(pattern)} ${where} matches no tool of this server`),
  );
  const renames = Object.keys(shaping.rename ?? {})
    .filter((own) => !known.has(own))
    .map((own) => ({ section: 'rename', key: own }));
  const mentions = toolSections.flatMap((section) =>
    Object.keys(shaping[section] ?? {})
      .filter((key) => !ownNames(shaping, key).some((own) => known.has(own)))
      .map((key) => ({ section, key })),
  );
  const absent = [...renames, ...mentions].map(({ section, key }) => {
    const meant = nearest(
      key,
      [...names, ...Object.values(shaping.rename ?? {})].filter((name) => name !== key),
    );
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    return `${section} ${where} speaks of ${JSON.stringify(key)}, which is no tool of this server${hint}`;
  });
  return [...patterns, ...absent];
}
