import { type ToolSection, type ToolShaping, toolSections } from './tool-shaping.ts';

/** Two keys of one section that mean the same tool. */
export interface DoubleMention {
  readonly section: ToolSection;
  readonly first: string;
  readonly second: string;
}

/** What a section says, by the source's own names of the tools. */
export function byOwnName<Section extends ToolSection>(
  shaping: ToolShaping,
  section: Section,
): Map<string, NonNullable<ToolShaping[Section]>[string]> {
  const said: NonNullable<ToolShaping[Section]> | Record<string, never> = shaping[section] ?? {};
  const values = new Map<string, NonNullable<ToolShaping[Section]>[string]>();
  for (const [key, value] of Object.entries(said)) for (const own of ownNames(shaping, key)) values.set(own, value);
  return values;
}

/** The own names of the tools a key means. A new name wins over an own one: it is what people see. */
export function ownNames({ rename = {} }: ToolShaping, key: string): string[] {
  const renamed = Object.keys(rename).filter((own) => rename[own] === key);
  return renamed.length === 0 ? [key] : renamed;
}

/** Tools that a section speaks of twice, by their new and by their own name: nobody can tell which holds. */
export function doubleMentions(shaping: ToolShaping): DoubleMention[] {
  return toolSections.flatMap((section) => {
    const firsts = new Map<string, string>();
    return Object.keys(shaping[section] ?? {}).flatMap((second) => {
      const owns = ownNames(shaping, second);
      const first = owns.map((own) => firsts.get(own)).find((key) => key !== undefined);
      for (const own of owns) if (!firsts.has(own)) firsts.set(own, second);
      return first === undefined ? [] : [{ section, first, second }];
    });
  });
}
