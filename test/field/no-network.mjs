/**
 * Preloaded into every tested server. Only `localhost` resolves, so that the results are the same with and without a network. IP
 * addresses and child processes other than Node are not covered.
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
function isLocal(host) {
  return host === 'localhost' || host.endsWith('.localhost') || isIP(host) !== 0;
}

dns.lookup = Object.assign(
  /** @param {string} host @param {unknown[]} rest */
  (host, ...rest) => {
    if (isLocal(host)) return lookup(host, ...rest);
    const callback = rest.at(-1);
    process.nextTick(() => callback(refusal(host)));
  },
  lookup,
);
const { lookup: lookupLater } = dns.promises;
dns.promises.lookup = async (host, options) => {
  if (!isLocal(host)) throw refusal(host);
  return lookupLater(host, options);
};
