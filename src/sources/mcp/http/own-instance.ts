import type { IncomingHttpHeaders } from 'node:http';
import { instance } from '../../../core/instance.ts';

/** Throws when a response comes from this very process: mounted in itself, every tool would be listed again with every change. */
export function assertOtherInstance(headers: IncomingHttpHeaders, { origin, pathname }: URL): void {
  if (headers[instance.header] !== instance.id) return;
  const message = `${origin}${pathname} is this Signalbox itself; remove this server from its configuration`;
  throw Object.assign(new Error(message), { code: 'SIGNALBOX_ITSELF' });
}
