import { randomBytes } from 'node:crypto';
import type { z } from '@hono/zod-openapi';
import type { HiddenTool, ServerProvenance } from '../../../catalog/snapshot.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import type { catalogSchema, hiddenToolSchema, serverSchema } from '../../schemas/catalog-schemas.ts';

/** The catalog as it goes over the wire. */
export interface CatalogDocument {
  readonly text: string;
  readonly etag: string;
}

/** Prepares the catalog, or a profile's view of it, once for each version, however often it is asked for. */
export function createCatalogDocuments(box: InternalSignalbox): (profile?: string) => CatalogDocument {
  // Versions begin anew with each process, so they alone do not identify a catalog.
  const start = randomBytes(6).toString('base64url');
  const prepared = new Map<string | undefined, CatalogDocument & { readonly version: number }>();
  return (profile) => {
    const { version, tools, servers, hidden, notices } = box.catalog(profile === undefined ? {} : { profile });
    const known = prepared.get(profile);
    if (known?.version === version) return known;
    const document: z.output<typeof catalogSchema> = {
      items: tools,
      version,
      servers: servers.map(toServer),
      hidden: hidden.map(toHiddenTool),
      notices,
    };
    const of = profile === undefined ? '' : `.${encodeURIComponent(profile)}`;
    const made = { version, text: JSON.stringify(document), etag: `"${start}.${version}${of}"` };
    prepared.set(profile, made);
    return made;
  };
}

/** A server as it goes over the wire. */
export function toServer(server: ServerProvenance): z.output<typeof serverSchema> {
  return { ...server, since: new Date(server.since).toISOString() };
}

function toHiddenTool(tool: HiddenTool): z.output<typeof hiddenToolSchema> {
  return { ...tool, since: new Date(tool.since).toISOString() };
}
