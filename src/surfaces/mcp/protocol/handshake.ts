import type { ProfileSettings } from '../../../catalog/profile.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { metaKeys, modernVersion, sessionVersions } from '../../../core/mcp-protocol.ts';
import { cacheable } from '../listing/list-pages.ts';
import { Prepared } from './wire-messages.ts';

const maxServerCharacters = 2000;
const maxTotalCharacters = 16_000;

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

/** Returns the instructions for models: about this server, then those of the servers behind it. */
export function instructionsFor(
  servers: readonly { readonly server: string; readonly text: string }[],
  names: ProfileSettings['names'],
): string {
  const naming = names === 'own' ? '' : 'each is named mcp__{server}__{tool}. ';
  const own =
    `Signalbox combines the tools of several servers; ${naming}Some calls need a human’s ` +
    'approval: a result that says so is not a failure. Tell the user, and make exactly the same call again once it is approved.';
  const parts = [own];
  let room = maxTotalCharacters;
  for (const { server, text } of servers) {
    const part = `Instructions of the server ${server} for its own tools:\n${clipped(text)}`;
    if (part.length > room) continue;
    room -= part.length;
    parts.push(part);
  }
  return parts.join('\n\n');
}

function clipped(text: string): string {
  return text.length <= maxServerCharacters ? text : `${text.slice(0, maxServerCharacters).toWellFormed()}…`;
}
