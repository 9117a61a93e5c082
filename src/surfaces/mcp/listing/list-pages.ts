import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../core/json/json.ts';
import { Prepared, WireError, wireCodes } from '../protocol/wire-messages.ts';

/** The lists of MCP. */
export type ListName = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

/** A list in serialized pages. */
export interface Pages {
  readonly fingerprint: string;
  /** Returns the page of a cursor; the first page without one. */
  page(cursor: unknown): Prepared;
}

/** Large, because many clients never request a second page. */
const pageSize = 1000;

/** The time for which a client of revision 2026-07-28 may cache a list. Subscribers are notified of changes. */
const listTtlMs = 60_000;

/** The fields of a cacheable result in revision 2026-07-28. */
export const cacheable = { resultType: 'complete', cacheScope: 'private' } as const;

/** Serializes a list in pages. */
export function createPages(list: ListName, items: readonly JsonObject[], isModern: boolean): Pages {
  const fingerprint = createHash('sha256').update(JSON.stringify(items)).digest('base64url');
  const count = Math.max(1, Math.ceil(items.length / pageSize));
  // A cursor contains the fingerprint, so that a cursor of an older list is refused.
  const cursorOf = (index: number): string => `${fingerprint.slice(0, 16)}.${index}`;
  const pages = new Map<unknown, Prepared>();
  for (let index = 0; index < count; index += 1) {
    const page = new Prepared({
      [list]: items.slice(index * pageSize, (index + 1) * pageSize),
      ...(index + 1 < count ? { nextCursor: cursorOf(index + 1) } : {}),
      ...(isModern ? { ...cacheable, ttlMs: listTtlMs } : {}),
    });
    pages.set(index === 0 ? undefined : cursorOf(index), page);
  }
  return {
    fingerprint,
    page(cursor) {
      const page = pages.get(cursor);
      if (page !== undefined) return page;
      throw new WireError(wireCodes.params, 'the cursor belongs to an older list; request the first page again');
    },
  };
}
