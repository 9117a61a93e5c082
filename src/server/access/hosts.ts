import { networkInterfaces } from 'node:os';
import type { MiddlewareHandler } from 'hono';
import { isAddressedTo, isFromOwnPage } from '../../surfaces/mcp/http/host-check.ts';
import type { HttpAsk } from '../../surfaces/mcp/http/http-types.ts';
import type { ServerEnvironment } from '../environment.ts';
import { Problem } from '../problems/problem.ts';

const wildcards = new Set(['', '0.0.0.0', '::']);
const loopback = ['127.0.0.1', 'localhost', '::1'];

/**
 * The values of `Host` this server answers to: loopback, the host it was told to listen on, the machine's own addresses when it
 * listens on all of them, and names that were allowed by configuration. A name that merely resolves to us is not among them,
 * which is what stops DNS rebinding.
 */
export function allowedHosts(host: string, port: number, extra: readonly string[] = []): ReadonlySet<string> {
  const listening = wildcards.has(host) ? ownAddresses() : [host];
  const allowed = new Set<string>(extra.map((name) => name.toLowerCase()));
  for (const name of [...loopback, ...listening]) {
    const written = urlHost(name).toLowerCase();
    allowed.add(`${written}:${port}`);
    if (port === 80) allowed.add(written);
  }
  return allowed;
}

/** A host as it stands in a URL. */
function urlHost(host: string): string {
  // Only addresses of IPv6 have a colon. `isIPv6` takes milliseconds when it is first asked, and every start would wait for it.
  return host.includes(':') ? `[${host}]` : host;
}

/** The host under which a browser on this machine reaches the server. */
export function reachableHost(host: string): string {
  return urlHost(wildcards.has(host) ? '127.0.0.1' : host);
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
}

/** Refuses requests that were meant for another host, and requests that a page of another site makes. */
export function checkHostAndOrigin(allowed: () => ReadonlySet<string>): MiddlewareHandler<ServerEnvironment> {
  return async (context, next) => {
    assertHostAndOrigin(context.env.incoming, allowed());
    await next();
  };
}

/** Throws the problem with a request that was meant for another host, or that a page of another site makes. */
export function assertHostAndOrigin(request: HttpAsk, allowed: ReadonlySet<string>): void {
  if (!isAddressedTo(request, (host) => allowed.has(host))) {
    throw new Problem(
      'host-refused',
      'use the address that "signalbox serve" printed, or allow this name: serve --allowed-host',
    );
  }
  if (!isFromOwnPage(request)) {
    throw new Problem('origin-refused', 'a page of another site made this request; only pages of this server may');
  }
}
