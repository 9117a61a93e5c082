import { doubleMentions } from '../../catalog/transforms/shaping/shaping-keys.ts';
import type { ToolShaping } from '../../catalog/transforms/shaping/tool-shaping.ts';
import type { DocumentPath } from '../file/json-document.ts';
import type { ToolSettings } from '../schema/configuration-schema.ts';
import type { ValidationIssue } from './validation-issue.ts';

/** Converts the `tools` block of an entry. `origin` is the file that it comes from. */
export function toToolShaping(
  settings: ToolSettings | undefined,
  labels: readonly string[] | undefined,
  origin: string,
): { readonly tools?: ToolShaping } {
  if (settings === undefined && labels === undefined) return {};
  return { tools: { ...settings, origin, ...(labels === undefined ? {} : { serverLabels: labels }) } };
}

/** Returns the contradictions in a `tools` block. */
export function shapingIssues(settings: ToolSettings | undefined, entry: DocumentPath): ValidationIssue[] {
  if (settings === undefined) return [];
  const path = [...entry, 'tools'];
  const doubles = doubleMentions({ ...settings, origin: '' }).map(({ section, first, second }): ValidationIssue => ({
    path: [...path, section, second],
    message: `is the same tool as ${JSON.stringify(first)}, by its other name`,
    hint: 'keep one of the two',
  }));
  const both = Object.entries(settings.arguments ?? {}).flatMap(([tool, { default: defaults = {}, set = {} }]) =>
    Object.keys(set)
      .filter((name) => Object.hasOwn(defaults, name))
      .map((name): ValidationIssue => ({
        path: [...path, 'arguments', tool, 'set', name],
        message: 'has a "default" too, which could never hold',
        hint: 'keep one of the two',
      })),
  );
  return [...doubles, ...both];
}
