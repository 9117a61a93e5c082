import type { HttpRequestHead } from './http-types.ts';

/** Returns whether a request is addressed to one of our host names. Prevents DNS rebinding, where a foreign name resolves to this server. */
export function isAddressedTo(
  { url, headers, rawHeaders }: HttpRequestHead,
  isOurs: (host: string) => boolean,
): boolean {
  // An absolute URL in the request line, or a second `Host` header, could name another host than the checked one.
  return isOurs(hostOf(headers.host)) && url?.startsWith('/') === true && hostsIn(rawHeaders) === 1;
}

/** Returns whether a request has no `Origin`, or that of the requested host. Accepts both schemes, because a proxy may terminate TLS. */
export function isSameOrigin({ headers: { host, origin } }: HttpRequestHead): boolean {
  if (origin === undefined) return true;
  const given = origin.toLowerCase();
  return given === `http://${hostOf(host)}` || given === `https://${hostOf(host)}`;
}

function hostOf(header: string | undefined): string {
  return header?.toLowerCase() ?? '';
}

function hostsIn(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') count += 1;
  return count;
}
