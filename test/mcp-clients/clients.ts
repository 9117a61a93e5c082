import type { TestContext } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { token } from './serving.ts';

/** The capabilities of every client of the tests. */
export const clientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} } as const;
const requestInit = { headers: { Authorization: `Bearer ${token}` } };

/** A client of the second SDK, in the revision with sessions or in the one without. */
export async function secondClient(
  t: TestContext,
  url: URL,
  era: 'legacy' | 'modern',
  prepare: (client: Client) => void = () => undefined,
): Promise<Client> {
  const client = new Client(
    { name: `second-${era}`, version: '1.0.0' },
    { capabilities: clientCapabilities, ...(era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {}) },
  );
  prepare(client);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  t.after(() => client.close());
  return client;
}

/** A client of the first SDK. */
export async function firstClient(
  t: TestContext,
  url: URL,
  prepare: (client: FirstClient) => void = () => undefined,
): Promise<FirstClient> {
  const client = new FirstClient({ name: 'first', version: '1.0.0' }, { capabilities: clientCapabilities });
  prepare(client);
  await client.connect(new FirstTransport(url, { requestInit }));
  t.after(() => client.close());
  return client;
}
