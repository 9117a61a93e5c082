import type { Section } from '../requirement.ts';

/** Arguments and schemas: decide and count on what runs (H20–H29). */
export const argumentsAndSchemas: Section<'H'> = {};
