import type { Section } from '../requirement.ts';

/** Conditions, resources and prompts (H30–H39). */
export const conditions: Section<'H'> = {};
