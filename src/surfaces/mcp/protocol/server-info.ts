import type { JsonObject } from '../../../core/json/json.ts';
import { metaKeys, modernVersion, sessionVersions } from '../../../core/mcp-protocol.ts';
import { cacheable } from '../listing/list-pages.ts';
import { Prepared } from './wire-messages.ts';

/** The declared capabilities. A server behind this one refuses the requests that it does not support itself. */
export const serverCapabilities: JsonObject = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
};

/** Returns the `serverInfo`. */
export function serverInfo(version: string): JsonObject {
  return { name: 'signalbox', title: 'Signalbox', version };
}

/** Returns the protocol revision to use with a client that requests this one. */
export function negotiateVersion(wanted: string): string {
  return sessionVersions.find((version) => version === wanted) ?? sessionVersions[0];
}

/** Returns whether a revision has sessions. */
export function isLegacyVersion(version: string): boolean {
  return sessionVersions.some((each) => each === version);
}

/** Creates the result of `server/discover`. */
export function createDiscovery(instructions: string, version: string): Prepared {
  return new Prepared({
    ...cacheable,
    ttlMs: 60_000,
    supportedVersions: [modernVersion],
    capabilities: serverCapabilities,
    instructions,
    _meta: { [metaKeys.serverInfo]: serverInfo(version) },
  });
}
