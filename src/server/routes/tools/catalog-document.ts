import { randomBytes } from 'node:crypto';
import type { z } from '@hono/zod-openapi';
import type { HiddenTool, ServerSummary } from '../../../catalog/snapshot.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import type { catalogSchema, hiddenToolSchema, serverSchema } from '../../schemas/catalog-schemas.ts';

/** A serialized catalog. */
interface CatalogDocument {
  readonly text: string;
  readonly etag: string;
}

/** Returns a function that serializes the catalog, or the view of a profile, once for each version. */
export function createCatalogDocuments(box: InternalSignalbox): (profile?: string) => CatalogDocument {
  // Versions restart with each process, so they do not identify a catalog alone.
  const processId = randomBytes(6).toString('base64url');
  const documents = new Map<string | undefined, CatalogDocument & { readonly version: number }>();
  return (profile) => {
    const { version, tools, servers, hidden, notices } = box.catalog(profile === undefined ? {} : { profile });
    const cached = documents.get(profile);
    if (cached?.version === version) return cached;
    const document: z.output<typeof catalogSchema> = {
      items: tools,
      version,
      servers: servers.map(toServer),
      hidden: hidden.map(toHiddenTool),
      notices,
    };
    const suffix = profile === undefined ? '' : `.${encodeURIComponent(profile)}`;
    const created = { version, text: JSON.stringify(document), etag: `"${processId}.${version}${suffix}"` };
    documents.set(profile, created);
    return created;
  };
}

/** Converts a server to its wire format. */
export function toServer(server: ServerSummary): z.output<typeof serverSchema> {
  return { ...server, since: new Date(server.since).toISOString() };
}

function toHiddenTool(tool: HiddenTool): z.output<typeof hiddenToolSchema> {
  return { ...tool, since: new Date(tool.since).toISOString() };
}
