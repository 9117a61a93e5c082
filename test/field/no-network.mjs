/**
 * Preloaded into every server of the field: names resolve to this machine or not at all, so that a run gives the same results with
 * and without a network, and nothing is sent to anybody with a dummy key.
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
