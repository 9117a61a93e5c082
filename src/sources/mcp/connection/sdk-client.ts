import { Client } from '@modelcontextprotocol/client';
import type { ConnectionOptions } from './server-link.ts';
import { clientCapabilities } from '../server-messages/server-requests.ts';

/** Creates the SDK's client, which reports changes of lists and resources. */
export function createSdkClient({ version, onListChanged, onResourceUpdated }: ConnectionOptions): Client {
  const client = new Client(
    { name: 'signalbox', version },
    { capabilities: clientCapabilities, versionNegotiation: { mode: 'auto' } },
  );
  for (const list of ['tools', 'resources', 'prompts'] as const)
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => onListChanged(list));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => onResourceUpdated(params.uri));
  return client;
}
