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
    tests: [
      'src/access/access-tokens.test.ts > an access token > lets its holder in with its role and profile; what is not it, letter for letter, does not',
      'src/access/access-tokens.test.ts > an access token > is kept as a hash alone, and stands neither in the store nor in the journal',
      'src/server/access/roles.test.ts > roles > every route refuses each role that it does not take with 403 and why, and takes the others',
      'src/server/access/roles.test.ts > roles > only admins change anything, but for what is listed here; agents see only what is listed here',
      'src/server/access/roles.test.ts > roles > no app is made with a route that does not say whom it takes, in whatever way it was added',
      'src/server/access/roles.test.ts > roles > an agent sees its own calls and results, not those of others',
      'src/server/access/token-access.test.ts > a token with a role > is refused with 401 and a challenge when it is wrong, expired or revoked; an unknown id looks like a wrong secret',
      'src/server/access/token-access.test.ts > a token with a role > ends with its revocation: what its holder has open is cut off, and the next request is refused',
      'src/server/access/token-access.test.ts > a token with a role > cannot be guessed: after twenty wrong ones the peer waits, while those who are known go on',
      'test/e2e/cli-token.test.ts > signalbox token > a token made beside a running server works there with its role until it is revoked, and is in clear nowhere',
      'test/e2e/cli-token.test.ts > the token that serve keeps for agents > calls and nothing more, stays over restarts, and is made anew when it was revoked or lost',
    ],
    missing: 'the MCP endpoint itself, and OAuth 2.1 there',
  },
  E5: {
    promise: 'real clients work: MCP Inspector, the v1 and v2 SDK clients, Claude Code',
    tests: [],
  },
};
