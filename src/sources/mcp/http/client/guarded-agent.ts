import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, type LookupFunction, isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';

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

const privateNetworks = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  privateNetworks.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  // Forms that embed an IPv4 address, which a router or the system may reach: compatible, translated, NAT64, Teredo, 6to4.
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  privateNetworks.addSubnet(network, bits, 'ipv6');

/** Host names of private networks: single words, and suffixes that public DNS does not have. */
const privateName = /^[^.]+$|\.(?:localhost|local|internal|intranet|lan|home|corp|private|test|home\.arpa)$/;

/** Returns whether an IP address belongs to this machine or to a private network. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && privateNetworks.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Returns whether the host of a URL is a private address or a name of a private network. */
export function isPrivateHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  return isIP(bare) === 0 ? privateName.test(bare.replace(/\.$/, '')) : isPrivateAddress(bare);
}

/** Throws when a host is a private address. Names are checked by `publicLookup`. */
export function assertPublicAddress(host: string): void {
  const bare = host.replace(/^\[|\]$/g, '');
  if (isPrivateAddress(bare)) throw refusal(bare, bare);
}

/** Resolves names, and fails for private addresses. The checked address is the one that is connected to, which prevents DNS rebinding. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const refused = error === null ? addresses.find(({ address }) => isPrivateAddress(address)) : undefined;
    const [first] = addresses ?? [];
    if (error !== null || first === undefined) callback(error ?? new Error(`${hostname} has no address`), '', 0);
    else if (refused !== undefined) callback(refusal(hostname, refused.address), '', 0);
    else if (options.all === true) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

function refusal(host: string, address: string): NodeJS.ErrnoException {
  const what = host === address ? `${address} is` : `${host} resolves to ${address}, which is`;
  const error: NodeJS.ErrnoException = new Error(
    `${what} an address of this machine or of a private network; a server there must be configured by that address itself`,
  );
  error.code = 'SIGNALBOX_ADDRESS';
  return error;
}
