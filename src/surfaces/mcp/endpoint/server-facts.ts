import type { JsonObject } from '../../../model/json.ts';

/** The revisions with sessions, the newest first. */
const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

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
export function agreedVersion(wanted: string): string {
  return legacyVersions.find((version) => version === wanted) ?? legacyVersions[0];
}

/** Whether a session can be of this revision. */
export function isLegacyVersion(version: string): boolean {
  return legacyVersions.some((each) => each === version);
}
