import type { Section } from '../requirement.ts';

/** Approvals: the approver sees everything that will run (H1–H9). */
export const approvals: Section<'H'> = {};
