import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import { flagSuspicious } from '../scan/flag-suspicious.ts';
import { isList } from './canonical-json.ts';
import { diffSchema } from './diff-schema.ts';
import {
  type Difference,
  difference,
  formatValue,
  isSame,
  keysOfBoth,
  ownValue,
  quoted,
  weaker,
} from './difference.ts';
import type { LockedTool } from './lock-types.ts';
import { wordDiff } from './word-diff.ts';

/** Returns the differences of a tool from its accepted definition. Never empty when the hashes differ. */
export function diffTool(name: string, before: LockedTool, now: LockedTool): Difference[] {
  if (before.hash === now.hash) return [];
  const differences = [
    ...diffText('title', before.title, now.title),
    ...diffText('description', before.description, now.description),
    ...diffSchema(before.inputSchema, now.inputSchema, 'arguments'),
    ...diffSchema(before.outputSchema, now.outputSchema, 'result'),
    ...diffAnnotations(before.annotations ?? {}, now.annotations ?? {}),
    ...diffFields('', before.fields ?? {}, now.fields ?? {}),
    ...diffFields('_meta', before._meta ?? {}, now._meta ?? {}),
    ...newFlags(name, before, now),
  ];
  return differences.length === 0 ? [difference('its definition changed')] : differences;
}

const maxSummarized = 3;

/** Returns the first differences of a tool as one line, without unaccepted prose of the server. */
export function summarizeToolDiff(name: string, accepted: LockedTool, now: LockedTool): string {
  const all = [...new Set(diffTool(name, accepted, now).map(({ short }) => short))];
  const more = all.length > maxSummarized ? `; and ${all.length - maxSummarized} more` : '';
  return `${all.slice(0, maxSummarized).join('; ')}${more}`;
}

/** Returns the signs of an attack in a tool that is not accepted yet. */
export function findSuspicions(name: string, tool: LockedTool): string[] {
  return flagSuspicious({ tool: name, annotations: {}, ...tool });
}

function newFlags(name: string, before: LockedTool, now: LockedTool): Difference[] {
  const known = new Set(findSuspicions(name, before));
  return findSuspicions(name, now)
    .filter((flag) => !known.has(flag))
    .map((flag) => weaker(flag, 'suspicious', 'its text looks suspicious'));
}

function diffText(what: string, before: string | undefined, now: string | undefined): Difference[] {
  if (before === now) return [];
  if (before === undefined || now === undefined)
    return [
      difference(
        `${what}: ${formatValue(before)} → ${formatValue(now)}`,
        `${what} ${before === undefined ? 'added' : 'removed'}`,
      ),
    ];
  return [difference(`${what}: ${wordDiff(before, now)}`, `${what} changed`)];
}

/** Compares fields that Signalbox passes on without using them, down to each value. */
function diffFields(path: string, before: JsonObject, now: JsonObject): Difference[] {
  return keysOfBoth(before, now).flatMap((key) =>
    diffValue(path === '' ? key : `${path}.${key}`, ownValue(before, key), ownValue(now, key)),
  );
}

function diffValue(path: string, old: JsonValue | undefined, now: JsonValue | undefined): Difference[] {
  if (isSame(old, now)) return [];
  if (isJsonObject(old) && isJsonObject(now)) return diffFields(path, old, now);
  if (isList(old) && isList(now) && old.length === now.length)
    return old.flatMap((each, index) => diffValue(`${path}[${index}]`, each, now[index]));
  const field = `field ${quoted(path)}`;
  if (typeof old === 'string' && typeof now === 'string')
    return [difference(`${field}: ${wordDiff(old, now)}`, `${field} changed`)];
  const kind = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
  return [difference(`${field}: ${formatValue(old)} → ${formatValue(now)}`, `${field} ${kind}`)];
}

function diffAnnotations(before: JsonObject, now: JsonObject): Difference[] {
  return keysOfBoth(before, now).flatMap((hint) => {
    const [old, value] = [ownValue(before, hint), ownValue(now, hint)];
    if (isSame(old, value)) return [];
    const concern = annotationConcerns.get(hint);
    const text = `annotation ${concern === undefined ? quoted(hint) : hint}: ${formatValue(old)} → ${formatValue(value)}`;
    const short = concern === undefined ? `annotation ${quoted(hint)} changed` : text;
    const why = concern?.(old, value);
    return [why === undefined ? difference(text, short) : weaker(text, why, short)];
  });
}

type Concern = (before: JsonValue | undefined, now: JsonValue | undefined) => string | undefined;

/** The changes of annotations that raise a concern: a claim of more harm than was accepted, and a claim that avoids approval. */
const annotationConcerns: ReadonlyMap<string, Concern> = new Map<string, Concern>([
  [
    'readOnlyHint',
    (before, now) => (now === true ? 'would run without approval' : before === true ? 'weaker' : undefined),
  ],
  ['destructiveHint', (_, now) => (now === true ? 'weaker' : undefined)],
  ['idempotentHint', (_, now) => (now === true ? 'claims that running it twice is harmless' : undefined)],
  ['openWorldHint', (_, now) => (now === true ? 'weaker' : undefined)],
]);
