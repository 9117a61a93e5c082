import { networkInterfaces } from 'node:os';
import type { MiddlewareHandler } from 'hono';
import { isAddressedTo, isSameOrigin } from '../../surfaces/mcp/http/host-check.ts';
import type { HttpRequestHead } from '../../surfaces/mcp/http/http-types.ts';
import type { ServerEnvironment } from '../http/server-context.ts';
import { Problem } from '../problems/problem.ts';

const wildcards = new Set(['', '0.0.0.0', '::']);
const loopback = ['127.0.0.1', 'localhost', '::1'];

/**
 * Returns the accepted values of `Host`: loopback, the bound host, all addresses of the machine when the server listens on all of
 * them, and `extra`. Other names that resolve to this server are refused, which prevents DNS rebinding.
 */
export function allowedHosts(host: string, port: number, extra: readonly string[] = []): ReadonlySet<string> {
  const listening = wildcards.has(host) ? ownAddresses() : [host];
  const allowed = new Set<string>(extra.map((name) => name.toLowerCase()));
  for (const name of [...loopback, ...listening]) {
    const urlName = urlHost(name).toLowerCase();
    allowed.add(`${urlName}:${port}`);
    if (port === 80) allowed.add(urlName);
  }
  return allowed;
}

/** Returns a host in the form that URLs use. */
function urlHost(host: string): string {
  // Only IPv6 addresses contain a colon. The first call of `isIPv6` takes milliseconds, which would delay every start.
  return host.includes(':') ? `[${host}]` : host;
}

/** Returns the host by which a browser on this machine reaches the server. */
export function reachableHost(host: string): string {
  return urlHost(wildcards.has(host) ? '127.0.0.1' : host);
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
}

/** Refuses requests with another `Host`, and requests from pages of other sites. */
export function checkHostAndOrigin(allowed: () => ReadonlySet<string>): MiddlewareHandler<ServerEnvironment> {
  return async (context, next) => {
    assertHostAndOrigin(context.env.incoming, allowed());
    await next();
  };
}

/** Throws `host-refused` for another `Host`, and `origin-refused` for a request from a page of another site. */
export function assertHostAndOrigin(request: HttpRequestHead, allowed: ReadonlySet<string>): void {
  if (!isAddressedTo(request, (host) => allowed.has(host))) {
    throw new Problem(
      'host-refused',
      'use the address that "signalbox serve" printed, or allow this name: serve --allowed-host',
    );
  }
  if (!isSameOrigin(request)) {
    throw new Problem('origin-refused', 'a page of another site made this request; only pages of this server may');
  }
}
