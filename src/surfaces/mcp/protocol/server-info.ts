import type { JsonObject } from '../../../core/json/json.ts';
import { metaKeys, modernVersion, sessionVersions } from '../../../core/mcp-protocol.ts';
import { cacheable } from '../listing/list-pages.ts';
import { Prepared } from './wire-messages.ts';

/** What this server can do, whatever its servers can: what they cannot, they refuse one by one. */
export const serverCapabilities: JsonObject = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
};

/** Who this is. */
export function serverInfo(version: string): JsonObject {
  return { name: 'signalbox', title: 'Signalbox', version };
}

/** The revision to speak with a client that wants this one. */
export function negotiateVersion(wanted: string): string {
  return sessionVersions.find((version) => version === wanted) ?? sessionVersions[0];
}

/** Whether a session can be of this revision. */
export function isLegacyVersion(version: string): boolean {
  return sessionVersions.some((each) => each === version);
}

/** The answer to `server/discover`. */
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
