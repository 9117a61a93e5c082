import { newId } from './identifiers.ts';

/*
 * Constants of the MCP protocol for clients and servers. Not imported from the SDK, because loading the SDK slows the start.
 */

/** The protocol revisions with sessions, newest first. */
export const sessionVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** The protocol revision without sessions. */
export const modernVersion = '2026-07-28';

/** The keys in `_meta` of requests and responses of the 2026 revision. */
export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The id of this process. Its MCP endpoint sends it in every response, so that a process that mounts its own endpoint detects the loop. */
export const gatewayInstance = { header: 'signalbox-instance', id: newId('box') } as const;
