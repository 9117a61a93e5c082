import { Agent, buildConnector } from 'undici';
import { isPrivateHost, publicLookup, assertPublicAddress } from './address-guard.ts';

const idleSocketMs = 30_000;
const noTimeout = 0;

/**
 * Creates the connection pool for one server. It connects to a private address only when one of the given URLs names that host; the check
 * runs on the resolved address, at each new connection. Responses have no time limit here, because callers set their own.
 */
export function createGuardedAgent(configured: readonly URL[]): Agent {
  const privateHosts = new Set(configured.map(({ hostname }) => bareHost(hostname)).filter(isPrivateHost));
  const connectAnywhere = buildConnector({});
  const connectPublic = buildConnector({ lookup: publicLookup });
  return new Agent({
    connect({ ...options }, callback) {
      // A redirect within the origin may still leave the configured host, as from example.org to www.example.org.
      const host = bareHost(options.hostname);
      if (privateHosts.has(host)) return connectAnywhere(options, callback);
      try {
        assertPublicAddress(host);
      } catch (error) {
        return callback(error as Error, null);
      }
      return connectPublic(options, callback);
    },
    keepAliveTimeout: idleSocketMs,
    headersTimeout: noTimeout,
    bodyTimeout: noTimeout,
  });
}

function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
