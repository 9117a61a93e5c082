import type { Section } from '../requirement.ts';

/** The console: keys, folds, pages and origins (H10–H19). */
export const console: Section<'H'> = {};
