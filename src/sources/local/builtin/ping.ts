/** What `ping` needs to know. */
export interface PingDependencies {
  readonly server: string;
  now(): Date;
}

/** What `ping` answers. */
export interface Pong {
  readonly status: 'pong';
  readonly timestamp: string;
  readonly server: string;
}

/** Shows that tool calls come through. */
export function ping({ server, now }: PingDependencies): Pong {
  return { status: 'pong', timestamp: now().toISOString(), server };
}
