import type { Section } from '../requirement.ts';

/** Trust in configurations and grants of secrets (H40–H49). */
export const trust: Section<'H'> = {};
