import type { TestContext } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { token } from './serving.ts';

/** The capabilities that all test clients declare. */
export const clientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} } as const;
const requestInit = { headers: { Authorization: `Bearer ${token}` } };

/** Connects a client of version 2 of the SDK: `legacy` uses a revision with sessions, `modern` the revision without. */
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

/** Connects a client of version 1 of the SDK. */
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
