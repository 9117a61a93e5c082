import { hash } from 'node:crypto';
import type { PriorDiscovery } from '@modelcontextprotocol/client';
import type { McpTransport } from './mcp-transport.ts';

/** The protocol version that a server was found to support, and when. Plain JSON. */
export type CachedProtocolVersion = PriorDiscovery & {
  readonly at: number;
  /** Whether the server did not answer the probe but accepted the older handshake. */
  readonly isGuess?: boolean;
};

/** Caches the protocol versions of servers, so that a known server is not probed again. */
export interface ProtocolVersionCache {
  get(key: string): CachedProtocolVersion | undefined | Promise<CachedProtocolVersion | undefined>;
  /** Stores a version, or deletes it when `undefined`. */
  set(key: string, version: CachedProtocolVersion | undefined): void | Promise<void>;
}

/** A server that was upgraded still accepts the older handshake, so an older version expires. */
const maxLegacyAgeMs = 24 * 60 * 60 * 1000;
/** A server that did not answer the probe may only have been slow. */
const maxGuessAgeMs = 60 * 60 * 1000;

/** Creates a cache that lasts as long as the process. */
export function createMemoryProtocolVersionCache(): ProtocolVersionCache {
  const versions = new Map<string, CachedProtocolVersion>();
  return {
    get: (key) => versions.get(key),
    set(key, version) {
      if (version === undefined) versions.delete(key);
      else versions.set(key, version);
    },
  };
}

/** Returns the cache key of a server: a hash of its transport, including credentials. */
export function protocolVersionKey(transport: McpTransport): string {
  return hash('sha256', JSON.stringify(transport), 'hex');
}

/** Returns how long a cached version is used before the server is probed again. */
export function maxVersionAgeMs({ isGuess = false }: CachedProtocolVersion): number {
  return isGuess ? maxGuessAgeMs : maxLegacyAgeMs;
}

/** Returns the cached version, unless it has expired. */
export function freshDiscovery(version: CachedProtocolVersion | undefined): PriorDiscovery | undefined {
  if (version?.kind === 'legacy')
    return Date.now() - version.at < maxVersionAgeMs(version) ? { kind: 'legacy' } : undefined;
  return version?.kind === 'modern' ? { kind: 'modern', discover: version.discover } : undefined;
}
