import type { Section } from './requirement.ts';

/** E. The MCP endpoint */
export const mcpEndpoint: Section<'E'> = {
  E1: {
    promise: 'both protocol eras at one URL and over stdio, in any mix of client and server',
    tests: [
      'src/surfaces/mcp/endpoint/clients.test.ts > a server over legacy stdio > its questions are answered by the client that made the call (legacy)',
      'src/surfaces/mcp/endpoint/clients.test.ts > a server over legacy stdio > its questions are answered by the client that made the call (modern)',
      'src/surfaces/mcp/endpoint/clients.test.ts > a server over modern stdio > its questions are answered by the client that made the call (legacy)',
      'src/surfaces/mcp/endpoint/clients.test.ts > a server over modern stdio > its questions are answered by the client that made the call (modern)',
      'src/surfaces/mcp/endpoint/clients.test.ts > a server over legacy http > its questions are answered by the client that made the call (legacy)',
      'src/surfaces/mcp/endpoint/clients.test.ts > a server over legacy http > its questions are answered by the client that made the call (modern)',
      'src/surfaces/mcp/endpoint/clients.test.ts > a server over modern http > its questions are answered by the client that made the call (legacy)',
      'src/surfaces/mcp/endpoint/clients.test.ts > a server over modern http > its questions are answered by the client that made the call (modern)',
      'test/e2e/cli-stdio.test.ts > signalbox stdio > serves a client on a pipe: tools, and questions of a server behind (legacy)',
      'test/e2e/cli-stdio.test.ts > signalbox stdio > serves a client on a pipe: tools, and questions of a server behind (modern)',
      'test/e2e/cli-stdio.test.ts > signalbox stdio > answers what was asked before its input ended, in both eras, and says nothing else',
      'src/surfaces/mcp/endpoint/http/sessions.test.ts > a session > a stream that was lost goes on where it was, with the answer that came meanwhile',
      'src/surfaces/mcp/endpoint/rounds.test.ts > a call that asks its client in the revision without sessions > waits for the next round, and runs once',
      'src/surfaces/mcp/endpoint/rounds.test.ts > a call that asks its client in the revision without sessions > its state is good once, for the same request of the same principal, and for nothing else',
    ],
  },
  E2: {
    promise: 'the official conformance suite passes in both roles and both revisions',
    tests: [
      'test/conformance/server.test.ts > the official suite passes as a server of 2025-11-25, with a server behind',
      'test/conformance/server.test.ts > the official suite passes as a server of 2026-07-28, with a server behind',
      'test/conformance/client.test.ts > the official suite passes as a client of 2025-11-25',
      'test/conformance/client.test.ts > the official suite passes as a client of 2026-07-28',
    ],
  },
  E3: {
    promise: 'profiles and per-client identity; no reply reaches the wrong client',
    tests: [
      'src/surfaces/mcp/endpoint/view.test.ts > a profile > shows its clients its tools, and lets them call no others',
      'src/surfaces/mcp/endpoint/view.test.ts > a profile > a token that is bound to one sees that one at every address',
      'src/surfaces/mcp/endpoint/view.test.ts > a profile > of servers also holds for their resources and prompts',
      'src/surfaces/mcp/endpoint/http/sessions.test.ts > a session > does not exist for anybody but the principal that began it',
      'src/surfaces/mcp/endpoint/replies.test.ts > no reply, progress or question reaches another client, whatever ids they use and however they leave',
      'test/faults/mcp-replies.test.ts > no reply reaches another client: 200 at once with equal ids, in both eras, 100,000 replies, cancels and disconnects',
    ],
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
      'src/server/mcp-route.test.ts > the MCP endpoint > gives who is bound to a profile that one and no other',
      'test/e2e/cli-token.test.ts > signalbox token > a token made beside a running server works there with its role until it is revoked, and is in clear nowhere',
      'test/e2e/cli-token.test.ts > the token that serve keeps for agents > calls and nothing more, stays over restarts, and is made anew when it was revoked or lost',
      'src/surfaces/mcp/endpoint/http/bad-input.test.ts > who asks > has a token that may call tools; a cookie does not do',
    ],
    missing: 'OAuth 2.1 at the MCP endpoint',
  },
  E5: {
    promise: 'real clients work: MCP Inspector, the v1 and v2 SDK clients, Claude Code',
    tests: [
      'src/surfaces/mcp/endpoint/clients.test.ts > a client of the first SDK lists, calls and is asked',
      'src/surfaces/mcp/endpoint/clients.test.ts > a client of the second SDK (legacy) > hears of progress, and its cancelling reaches the server',
      'src/surfaces/mcp/endpoint/clients.test.ts > a client of the second SDK (legacy) > reads, completes and is told of changed resources, prompts and tools',
      'src/surfaces/mcp/endpoint/clients.test.ts > a client of the second SDK (modern) > hears of progress, and its cancelling reaches the server',
      'src/surfaces/mcp/endpoint/clients.test.ts > a client of the second SDK (modern) > reads, completes and is told of changed resources, prompts and tools',
      'test/e2e/mcp-clients.test.ts > Claude Code with the endpoint among its servers > lists and calls a tool of signalbox serve',
      'test/e2e/mcp-clients.test.ts > Claude Code with the endpoint among its servers > hears where people approve when nobody does, and the same call runs when they have',
      'test/e2e/mcp-clients.test.ts > the MCP Inspector > lists and calls tools of signalbox serve in both eras, and is refused without a token',
      'test/e2e/mcp-clients.test.ts > the MCP Inspector > lists and calls tools of signalbox stdio',
      'test/e2e/cli-stdio.test.ts > signalbox stdio > serves a client on a pipe: tools, and questions of a server behind (modern)',
    ],
  },
};
