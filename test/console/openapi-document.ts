import { openSignalbox } from '../../src/signalbox/create-signalbox.ts';
import { startServer } from '../../src/server/start-server.ts';
import type { ApiDocument } from '../../console/api-types.ts';

/** Starts a server, and returns its OpenAPI document. */
export async function readApiDocument(): Promise<ApiDocument> {
  const token = 'openapi-document-token';
  const box = await openSignalbox();
  const server = await startServer({ box, host: '127.0.0.1', port: 0, token });
  try {
    const response = await fetch(`${server.url}/openapi.json`, { headers: { authorization: `Bearer ${token}` } });
    return (await response.json()) as ApiDocument;
  } finally {
    await server.close();
    await box.close();
  }
}
