import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import { proseKeywords, schemaMapKeywords } from '../schema/schema-keywords.ts';
import { isList } from './canonical-json.ts';
import { type Difference, difference, formatValue, isSame, keysOfBoth, ownValue, quoted } from './difference.ts';
import { wordDiff } from './word-diff.ts';

/** The role of a schema. */
export type SchemaRole = 'arguments' | 'result';

interface Place {
  readonly of: SchemaRole;
  readonly path: string;
}

/** Returns the differences of two schemas in canonical form, one sentence each. */
export function diffSchema(before: JsonValue | undefined, after: JsonValue | undefined, of: SchemaRole): Difference[] {
  const place: Place = { of, path: '' };
  if (before !== undefined && after !== undefined) return diffPart(before, after, place);
  if (before === after) return [];
  return [difference(`schema of the ${of} ${before === undefined ? 'added' : 'removed'}`)];
}

function diffPart(before: JsonValue, after: JsonValue, place: Place): Difference[] {
  if (isSame(before, after)) return [];
  if (!isJsonObject(before) || !isJsonObject(after)) return [changed('schema', before, after, place)];
  return keysOfBoth(before, after).flatMap((keyword) => {
    const [old, now] = [ownValue(before, keyword), ownValue(after, keyword)];
    return isSame(old, now) ? [] : diffKeyword(keyword, { before, after, old, now }, place);
  });
}

interface Pair {
  /** The enclosing schemas of the keyword. */
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly old: JsonValue | undefined;
  readonly now: JsonValue | undefined;
}

function diffKeyword(keyword: string, { before, after, old, now }: Pair, place: Place): Difference[] {
  if (keyword === 'properties' && isJsonObject(old ?? {}) && isJsonObject(now ?? {}))
    return diffProperties(before, after, place);
  if (keyword === 'required' && isList(old ?? []) && isList(now ?? [])) return diffRequired(before, after, place);
  if (keyword === 'enum' && isList(old) && isList(now)) return [diffEnum(old, now, place)];
  if (proseKeywords.has(keyword) && typeof old === 'string' && typeof now === 'string')
    return [difference(`${keyword} ${subject(place)}: ${wordDiff(old, now)}`, `${keyword} ${subject(place)} changed`)];
  if (old === undefined || now === undefined) return [changed(keyword, old, now, place)];
  if (schemaMapKeywords.has(keyword) && isJsonObject(old) && isJsonObject(now))
    return diffNamed(keyword, old, now, place);
  if (isList(old) && isList(now) && old.length === now.length && old.every(isJsonObject))
    return old.flatMap((part, index) => diffPart(part, now[index] ?? null, inside(place, `${keyword}[${index}]`)));
  if (isJsonObject(old) && isJsonObject(now) && keyword !== 'default' && keyword !== 'const')
    return diffPart(old, now, inside(place, keyword === 'items' ? '[]' : keyword));
  return [changed(keyword, old, now, place)];
}

function diffProperties(before: JsonObject, after: JsonObject, place: Place): Difference[] {
  const [old, now] = [propertiesOf(before), propertiesOf(after)];
  const required = new Set(requiredOf(after));
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [was, is] = [old.get(name), now.get(name)];
    const at = inside(place, name);
    const called = `${nounOf(at)} ${quoted(at.path)}`;
    if (is === undefined) return [difference(`${called} removed`)];
    if (was !== undefined) return diffPart(was, is, at);
    const need = required.has(name) ? 'required' : 'optional';
    return [difference(`${called} added (${typeOf(is)}, ${need})`, `${called} added (${need})`)];
  });
}

/** Skips added and removed properties, which are reported separately. */
function diffRequired(before: JsonObject, after: JsonObject, place: Place): Difference[] {
  const [old, now] = [new Set(requiredOf(before)), new Set(requiredOf(after))];
  const [hadProperty, hasProperty] = [propertiesOf(before), propertiesOf(after)];
  return [...new Set([...old, ...now])].flatMap((name) => {
    if (old.has(name) === now.has(name) || hadProperty.has(name) !== hasProperty.has(name)) return [];
    const at = inside(place, name);
    return [difference(`${nounOf(at)} ${quoted(at.path)} is now ${now.has(name) ? 'required' : 'optional'}`)];
  });
}

function diffEnum(old: readonly JsonValue[], now: readonly JsonValue[], place: Place): Difference {
  const [before, after] = [old, now].map((list) => new Set(list.map(formatValue)));
  const lost = [...(before ?? [])].filter((value) => after?.has(value) !== true);
  const gained = [...(after ?? [])].filter((value) => before?.has(value) !== true);
  const parts = [
    ...(lost.length === 0 ? [] : [`lost ${lost.join(', ')}`]),
    ...(gained.length === 0 ? [] : [`gained ${gained.join(', ')}`]),
  ];
  const short = `enum ${subject(place)} changed`;
  return difference(parts.length === 0 ? short : `enum ${subject(place)} ${parts.join(', ')}`, short);
}

function diffNamed(keyword: string, old: JsonObject, now: JsonObject, place: Place): Difference[] {
  return keysOfBoth(old, now).flatMap((name) => {
    const [was, is] = [ownValue(old, name), ownValue(now, name)];
    const at = inside(place, `${keyword}.${name}`);
    if (was !== undefined && is !== undefined) return diffPart(was, is, at);
    return [difference(`${quoted(at.path)} ${is === undefined ? 'removed' : 'added'}`)];
  });
}

function changed(what: string, old: JsonValue | undefined, now: JsonValue | undefined, place: Place): Difference {
  const name = what.replaceAll(/[^\w$-]/g, '').slice(0, 30) || 'a keyword';
  const isType = what === 'type' && typeof old === 'string' && typeof now === 'string';
  const values = isType ? `${old} → ${now}` : `${formatValue(old)} → ${formatValue(now)}`;
  return difference(`${name} ${subject(place)}: ${values}`, `${name} ${subject(place)} changed`);
}

function subject({ of, path }: Place): string {
  return path === '' ? `of the ${of}` : `of ${of === 'result' ? 'result ' : ''}${quoted(path)}`;
}

function nounOf({ of }: Place): string {
  return of === 'arguments' ? 'argument' : 'result field';
}

function inside({ of, path }: Place, step: string): Place {
  return { of, path: path === '' || step === '[]' ? path + step : `${path}.${step}` };
}

function typeOf(schema: JsonValue): string {
  const type = isJsonObject(schema) ? ownValue(schema, 'type') : undefined;
  if (typeof type === 'string') return type;
  return isList(type) ? type.map(String).join(' or ') : 'of any type';
}

function propertiesOf(schema: JsonObject): Map<string, JsonValue> {
  const properties = ownValue(schema, 'properties');
  return new Map(Object.entries(isJsonObject(properties) ? properties : {}));
}

function requiredOf(schema: JsonObject): string[] {
  const required = ownValue(schema, 'required');
  return isList(required) ? required.map(String) : [];
}
