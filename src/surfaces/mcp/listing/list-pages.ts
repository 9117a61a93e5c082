import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../core/json/json.ts';
import { Prepared, WireError, wireCodes } from '../protocol/wire-messages.ts';

/** What can be listed. */
export type ListName = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

/** A list in pages, ready to be sent. */
export interface Pages {
  readonly fingerprint: string;
  /** The page that a cursor stands for; the first one without. */
  page(cursor: unknown): Prepared;
}

/** Many clients never ask for a second page, so one should hold what people really have. */
const pageSize = 1000;

/** How long a client of the 2026 revision may take a list for the current one; changes are told to whoever listens. */
const listTtlMs = 60_000;

/** What the 2026 revision wants in results that may be kept. */
export const cacheable = { resultType: 'complete', cacheScope: 'private' } as const;

/** Writes a list down. */
export function pagesOf(list: ListName, items: readonly JsonObject[], isModern: boolean): Pages {
  const fingerprint = createHash('sha256').update(JSON.stringify(items)).digest('base64url');
  const count = Math.max(1, Math.ceil(items.length / pageSize));
  // A cursor outlives its list only by name: one of another list is refused rather than leading somewhere else.
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
      throw new WireError(wireCodes.params, 'the list has changed since that cursor was given; list from the start');
    },
  };
}
