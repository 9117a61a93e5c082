import { hash } from 'node:crypto';
import type { PriorDiscovery } from '@modelcontextprotocol/client';
import type { McpTransport } from '../mcp-server-options.ts';

/** Which revision of the protocol a server was found to speak, and when. Plain JSON. */
export type CachedProtocolVersion = PriorDiscovery & {
  readonly at: number;
  /** Whether the server did not answer the probe but accepted the older handshake. */
  readonly isGuess?: boolean;
};

/** Remembers verdicts, so that a server that is known is not probed again. */
export interface ProtocolVersionCache {
  get(key: string): CachedProtocolVersion | undefined | Promise<CachedProtocolVersion | undefined>;
  /** Without a verdict: forgets it. */
  set(key: string, verdict: CachedProtocolVersion | undefined): void | Promise<void>;
}

/** A server that learned the newer revision still speaks the older: that must be found out some day. */
const legacyHoldsMs = 24 * 60 * 60 * 1000;
/** A server that did not answer the probe may only have been slow. */
const maxGuessAgeMs = 60 * 60 * 1000;

/** Verdicts that last as long as the process. */
export function createMemoryProtocolVersionCache(): ProtocolVersionCache {
  const kept = new Map<string, CachedProtocolVersion>();
  return {
    get: (key) => kept.get(key),
    set(key, verdict) {
      if (verdict === undefined) kept.delete(key);
      else kept.set(key, verdict);
    },
  };
}

/** What a verdict is kept under: how the server is reached, with its credentials, and not readable. */
export function protocolVersionKey(transport: McpTransport): string {
  return hash('sha256', JSON.stringify(transport), 'hex');
}

/** Returns how long a verdict is trusted before the server is probed again. */
export function maxVerdictAgeMs({ isGuess = false }: CachedProtocolVersion): number {
  return isGuess ? maxGuessAgeMs : legacyHoldsMs;
}

/** The verdict, unless it is too old to be trusted. */
export function freshDiscovery(verdict: CachedProtocolVersion | undefined): PriorDiscovery | undefined {
  if (verdict?.kind === 'legacy')
    return Date.now() - verdict.at < maxVerdictAgeMs(verdict) ? { kind: 'legacy' } : undefined;
  return verdict?.kind === 'modern' ? { kind: 'modern', discover: verdict.discover } : undefined;
}
