import type { Section } from '../requirement.ts';

/** Definitions of servers (H60–H69). */
export const definitions: Section<'H'> = {};
