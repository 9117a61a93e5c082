import type { HttpAsk } from './http-types.ts';

/** Whether a request was meant for a host that is ours: a name that merely resolves to us is none, which stops DNS rebinding. */
export function isAddressedTo({ url, headers, rawHeaders }: HttpAsk, isOurs: (host: string) => boolean): boolean {
  // A proxy-style request line names a host of its own, and a second header another one, past a check of the first.
  return isOurs(hostOf(headers.host)) && url?.startsWith('/') === true && hostsIn(rawHeaders) === 1;
}

/** Whether a request comes from a program, or from a page of the very host it is for. Either scheme: TLS may end at a proxy. */
export function isFromOwnPage({ headers: { host, origin } }: HttpAsk): boolean {
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
