import type { Section } from '../requirement.ts';

/** Identities and the journal (H70–H79). */
export const identities: Section<'H'> = {};
