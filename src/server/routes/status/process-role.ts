/** What a process does of what `serve` can do. */
export const processRoles = ['all', 'web', 'worker'] as const;

/** `web` answers requests and leaves turns and jobs to others; `worker` runs those, and answers only probes. */
export type ProcessRole = (typeof processRoles)[number];
