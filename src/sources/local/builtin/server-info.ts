/** Dependencies of `get_server_info`. */
export interface ServerInfoDependencies {
  readonly version: string;
  /** The port of the HTTP server; undefined when there is none, as in the library. */
  readonly port: number | undefined;
  uptimeSeconds(): number;
}

/** The result of `get_server_info`. */
export interface ServerInfo {
  readonly product: 'Signalbox';
  readonly port: number | null;
  readonly version: string;
  readonly uptime_seconds?: number;
}

/** Returns product, version and port, and optionally the uptime. */
export function serverInfo(dependencies: ServerInfoDependencies, includeUptime: boolean): ServerInfo {
  const { version, port } = dependencies;
  const info = { product: 'Signalbox', port: port ?? null, version } as const;
  return includeUptime ? { ...info, uptime_seconds: Math.round(dependencies.uptimeSeconds()) } : info;
}

/** Dependencies of `ping`. */
export interface PingDependencies {
  readonly server: string;
  now(): Date;
}

/** The result of `ping`. */
export interface Pong {
  readonly status: 'pong';
  readonly timestamp: string;
  readonly server: string;
}

/** Confirms that tool calls reach Signalbox. */
export function ping({ server, now }: PingDependencies): Pong {
  return { status: 'pong', timestamp: now().toISOString(), server };
}
