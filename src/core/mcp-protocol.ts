import { newId } from './identifiers.ts';

/*
 * What both sides of MCP say of the protocol itself. Not taken from the SDK: a start that needs no more than these words of it would
 * have to load all of it.
 */

/** The revisions with sessions, the newest first. */
export const sessionVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** The revision without sessions. */
export const modernVersion = '2026-07-28';

/** What requests and answers of the 2026 revision carry in `_meta`. */
export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** What this process is called. Its MCP endpoint says so with every answer: who mounts it then knows when that is itself. */
export const gatewayInstance = { header: 'signalbox-instance', id: newId('box') } as const;
