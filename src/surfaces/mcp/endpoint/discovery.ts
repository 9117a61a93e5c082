import { metaKeys, modernVersion } from '../../../core/mcp-protocol.ts';
import { cacheable } from './pages.ts';
import { serverCapabilities, serverInfo } from './server-facts.ts';
import { Prepared } from './wire.ts';

/** The answer to `server/discover`. */
export function discoveryOf(instructions: string, version: string): Prepared {
  return new Prepared({
    ...cacheable,
    ttlMs: 60_000,
    supportedVersions: [modernVersion],
    capabilities: serverCapabilities,
    instructions,
    _meta: { [metaKeys.serverInfo]: serverInfo(version) },
  });
}
