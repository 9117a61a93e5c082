import { closestMatch } from '../../../core/text/closest-match.ts';
import { matchesAnyName, matchesNamePattern } from '../../../core/text/name-pattern.ts';
import { fullNames } from '../../../core/tools/tool-names.ts';
import { type ToolSection, type ToolShaping, toolSections } from './tool-shaping.ts';

/** Two keys of one section that match the same tool. */
export interface DuplicateKeys {
  readonly section: ToolSection;
  readonly first: string;
  readonly second: string;
}

/** A tool as the `tools` block of its server can name it. */
export interface ShapedTool {
  readonly server: string;
  /** The server's own name for it. */
  readonly own: string;
}

/** Returns the keys of a section that match a tool, the most specific first: exact names, then patterns by their number of literal characters. */
export function keysFor(shaping: ToolShaping, section: ToolSection, tool: ShapedTool): string[] {
  const keys = Object.keys(shaping[section] ?? {});
  if (keys.length === 0) return keys;
  const names = shapedNames(shaping, tool);
  const full = names.flatMap((name) => fullNames({ server: tool.server, tool: name }));
  const literals = (key: string): number =>
    key.includes('*') ? key.replace(`mcp__${tool.server}__`, '').replaceAll('*', '').length : Number.MAX_SAFE_INTEGER;
  return keys
    .filter((key) => matchesAnyName(names, key) || (key.startsWith('mcp__') && matchesAnyName(full, key)))
    .toSorted((one, other) => literals(other) - literals(one));
}

/** Returns the value of the most specific key that matches a tool, and that key. */
export function sectionFor<Section extends ToolSection>(
  shaping: ToolShaping,
  section: Section,
  tool: ShapedTool,
): { readonly key: string; readonly value: SectionValue<Section> } | undefined {
  const [key] = keysFor(shaping, section, tool);
  if (key === undefined) return undefined;
  return {
    key,
    value: (shaping[section] as Readonly<Record<string, SectionValue<Section>>>)[key] as SectionValue<Section>,
  };
}

type SectionValue<Section extends ToolSection> = NonNullable<ToolShaping[Section]>[string];

/** Returns whether a pattern of `allow` or `deny` matches the own name or a full name of a tool. */
export function matchesToolPattern(
  { rename = {} }: ToolShaping,
  pattern: string,
  { server, own }: ShapedTool,
): boolean {
  if (matchesNamePattern(own, pattern)) return true;
  if (!pattern.startsWith('mcp__')) return false;
  const now = Object.hasOwn(rename, own) ? rename[own] : undefined;
  return [own, ...(now === undefined ? [] : [now])].some((tool) =>
    matchesAnyName(fullNames({ server, tool }), pattern),
  );
}

/** Returns the names that sections may use for a tool. A new name takes precedence over an own name, because users see the new one. */
function shapedNames({ rename = {} }: ToolShaping, { own }: ShapedTool): string[] {
  const now = Object.hasOwn(rename, own) ? rename[own] : undefined;
  if (now === undefined) return Object.values(rename).includes(own) ? [] : [own];
  return Object.values(rename).includes(own) ? [now] : [now, own];
}

/** Returns the own names of the tools that a key matches. */
function ownNames({ rename = {} }: ToolShaping, key: string): string[] {
  const renamed = Object.keys(rename).filter((own) => rename[own] === key);
  return renamed.length === 0 ? [key] : renamed;
}

/** Returns the tools that a section names twice, by their new and by their own name, which is ambiguous. */
export function findDuplicateKeys(shaping: ToolShaping): DuplicateKeys[] {
  return toolSections.flatMap((section) => {
    const firsts = new Map<string, string>();
    const exact = Object.keys(shaping[section] ?? {}).filter((key) => !key.includes('*'));
    return exact.flatMap((second) => {
      const owns = ownNames(shaping, second);
      const first = owns.map((own) => firsts.get(own)).find((key) => key !== undefined);
      for (const own of owns) if (!firsts.has(own)) firsts.set(own, second);
      return first === undefined ? [] : [{ section, first, second }];
    });
  });
}

/** Returns a notice for each name and pattern of a shaping that matches no tool. It is not an error: the server may list the tool later. */
export function unmatched(shaping: ToolShaping, server: string, names: readonly string[]): string[] {
  const known = new Set(names);
  const where = `in ${shaping.origin}`;
  const patterns = (['allow', 'deny'] as const).flatMap((list) =>
    (shaping[list] ?? [])
      .filter((pattern) => !names.some((own) => matchesToolPattern(shaping, pattern, { server, own })))
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
