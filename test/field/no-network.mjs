/**
 * Preloaded into every server of the field: host names other than localhost do not resolve, so that a run gives the same
 * results with and without a network. Plain addresses and child processes that are not Node are not covered.
 */
import dns from 'node:dns';
import { isIP } from 'node:net';

const { lookup } = dns;

/** @param {string} host */
function refusal(host) {
  const error = new Error(`getaddrinfo ENOTFOUND ${host}`);
  return Object.assign(error, { errno: -3008, code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: host });
}

/** @param {string} host */
function isHere(host) {
  return host === 'localhost' || host.endsWith('.localhost') || isIP(host) !== 0;
}

dns.lookup = Object.assign(
  /** @param {string} host @param {unknown[]} rest */
  (host, ...rest) => {
    if (isHere(host)) return lookup(host, ...rest);
    const callback = rest.at(-1);
    process.nextTick(() => callback(refusal(host)));
  },
  lookup,
);
const { lookup: lookupLater } = dns.promises;
dns.promises.lookup = async (host, options) => {
  if (!isHere(host)) throw refusal(host);
  return lookupLater(host, options);
};
