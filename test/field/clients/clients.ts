import { agentClients } from './agent-clients.ts';
import { libraryClients } from './library-clients.ts';
import { sdkClients } from './sdk-clients.ts';
import type { FieldClient } from './target.ts';

/** Every client, in the order of the table. */
export const clients: readonly FieldClient[] = [...sdkClients, ...libraryClients, ...agentClients];
