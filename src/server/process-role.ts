/** The roles of a server process. */
export const processRoles = ['all', 'web', 'worker'] as const;

/** `web` serves requests; `worker` runs turns and jobs, and serves only probes and metrics; `all` does both. */
export type ProcessRole = (typeof processRoles)[number];
