import type { IncomingHttpHeaders } from 'node:http';
import { gatewayInstance } from '../../../../core/mcp-protocol.ts';

/** Throws when a response comes from this very process: mounted in itself, every tool would be listed again with every change. */
export function assertOtherInstance(headers: IncomingHttpHeaders, { origin, pathname }: URL): void {
  if (headers[gatewayInstance.header] !== gatewayInstance.id) return;
  const message = `${origin}${pathname} is this Signalbox itself; take this server out of its configuration`;
  throw Object.assign(new Error(message), { code: 'SIGNALBOX_ITSELF' });
}
