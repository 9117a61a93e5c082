import type { StoredEntry } from '../../../journal/entries/stored-entry.ts';
import type { EntryQuery } from '../../../journal/store/store.ts';
import { isJsonObject } from '../../../core/json/json.ts';

/** The searchable values in the body of an entry. Read in this process, because PostgreSQL rejects JSON that contains `\u0000`. */
export interface EntryFacts {
  readonly server: string;
  readonly decision: string;
  readonly principal: string;
  readonly ms: number | null;
}

/** Reads the facts of a body. They are empty when it is not a JSON object. */
export function toEntryFacts(body: string): EntryFacts {
  const parsed = read(body);
  const ms = parsed['durationMs'];
  return {
    server: textIn(parsed['server']),
    decision: textIn(partOf(parsed, 'decision')['answer']),
    principal: textIn(partOf(parsed, 'principal')['id']),
    ms: typeof ms === 'number' ? ms : null,
  };
}

/** Returns whether the body of an entry matches a query: contains its text, or has a shadow rule that disagrees with the decision. */
export function matchesBody({ tool, body }: StoredEntry, { text, shadowed }: EntryQuery): boolean {
  const parsed = read(body);
  return (text === undefined || mentions(tool, parsed, text)) && (shadowed !== true || isShadowed(parsed));
}

function mentions(tool: string, body: Part, text: string): boolean {
  const plain = text.toLowerCase();
  const escaped = JSON.stringify(text).slice(1, -1).toLowerCase();
  const args = body['arguments'];
  if (args !== undefined && JSON.stringify(args).toLowerCase().includes(escaped)) return true;
  const { rule, reason } = partOf(body, 'decision');
  const texts = [tool, body['output'], partOf(body, 'error')['message'], rule, reason];
  return texts.some((each) => textIn(each).toLowerCase().includes(plain));
}

/** Returns whether a shadow rule disagrees with the rules. Changes by a permission mode or a remembered approval do not count. */
function isShadowed(body: Part): boolean {
  const decision = partOf(body, 'decision');
  const ruled = partOf(decision, 'ruled')['answer'] ?? decision['answer'];
  const shadow = decision['shadow'];
  return Array.isArray(shadow) && shadow.some((rule) => isJsonObject(rule) && rule['answer'] !== ruled);
}

type Part = Readonly<Record<string, unknown>>;

function read(body: string): Part {
  try {
    const parsed: unknown = JSON.parse(body);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function partOf(whole: Part, key: string): Part {
  const part = whole[key];
  return isJsonObject(part) ? part : {};
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
