import type { Section } from '../requirement.ts';

/** Protected files, the data directory and undo (H50–H59). */
export const files: Section<'H'> = {};
