import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, type LookupFunction, isIP } from 'node:net';

const inside = new BlockList();
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
  inside.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  // Forms that carry an IPv4 address, which a router or the system may reach: compatible, translated, NAT64, Teredo, 6to4.
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
  inside.addSubnet(network, bits, 'ipv6');

/** Names that can only mean something inside: single words, and the suffixes that the public name system does not have. */
const insideName = /^[^.]+$|\.(?:localhost|local|internal|intranet|lan|home|corp|private|test|home\.arpa)$/;

/** Whether an address is of this machine or of a network that the public internet does not reach. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && inside.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Whether a host, as a URL names it, is plainly meant to be inside. */
export function isPrivateHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  return isIP(bare) === 0 ? insideName.test(bare.replace(/\.$/, '')) : isPrivateAddress(bare);
}

/** Refuses a host that is written as an address inside. Names are refused by what they resolve to. */
export function assertPublicAddress(host: string): void {
  const bare = host.replace(/^\[|\]$/g, '');
  if (isPrivateAddress(bare)) throw refusal(bare, bare);
}

/** Resolves names, but not to addresses inside: the check is made on the very address that is connected to. */
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
