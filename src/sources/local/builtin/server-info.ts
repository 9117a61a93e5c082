/** What `get_server_info` needs to know. */
export interface ServerInfoDependencies {
  readonly version: string;
  /** The port the server listens on; absent when there is no server, as in the library. */
  readonly port: number | undefined;
  uptimeSeconds(): number;
}

/** What `get_server_info` answers. */
export interface ServerInfo {
  readonly product: 'Signalbox';
  readonly port: number | null;
  readonly version: string;
  readonly uptime_seconds?: number;
}

/** Tells an agent what it runs in. */
export function serverInfo(dependencies: ServerInfoDependencies, includeUptime: boolean): ServerInfo {
  const { version, port } = dependencies;
  const info = { product: 'Signalbox', port: port ?? null, version } as const;
  return includeUptime ? { ...info, uptime_seconds: Math.round(dependencies.uptimeSeconds()) } : info;
}

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
