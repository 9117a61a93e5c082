import type { Section } from '../requirement.ts';

/** Secrets, request bodies, streams and locks (H80–H89). */
export const input: Section<'H'> = {};
