import type { CallerChange, CatalogChange, JournalEntry, Ready, SessionEvent } from '../api/schema.ts';

/** An event of the console's stream. */
export type LiveEvent =
  | { readonly kind: 'journal'; readonly event: JournalEntry }
  | { readonly kind: 'session'; readonly event: SessionEvent }
  | { readonly kind: 'catalog'; readonly event: CatalogChange }
  | { readonly kind: 'approval'; readonly event: CallerChange }
  | { readonly kind: 'ready'; readonly event: Ready };
