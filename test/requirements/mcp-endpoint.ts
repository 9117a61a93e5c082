import type { Section } from './requirement.ts';

/** E. The MCP endpoint */
export const mcpEndpoint: Section<'E'> = {
  E1: {
    promise: 'both protocol eras at one URL and over stdio, in any mix of client and server',
    tests: [],
  },
  E2: {
    promise: 'the official conformance suite passes in both roles and both revisions',
    tests: [],
  },
  E3: {
    promise: 'profiles and per-client identity; no reply reaches the wrong client',
    tests: [],
  },
  E4: {
    promise: 'tokens with roles; OAuth 2.1 resource server; tokens never go upstream',
    tests: [],
  },
  E5: {
    promise: 'real clients work: MCP Inspector, the v1 and v2 SDK clients, Claude Code',
    tests: [],
  },
};
