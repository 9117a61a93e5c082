import type { Section } from './requirement.ts';

/** G. Many machines, faults, attackers */
export const machinesFaultsAttackers: Section<'G'> = {
  G1: {
    promise: 'any number of replicas on PostgreSQL; a killed worker’s turn is taken over or ended clearly',
    tests: [
      'test/e2e/cli-postgres.test.ts > records in PostgreSQL > a question of one process is answered by another on another machine, and the journal of both holds',
      'src/store/postgres/postgres-store.test.ts > a store in PostgreSQL > several that open an empty database at once all find their tables',
      'src/store/postgres/postgres-store.test.ts > a store in PostgreSQL > one of a newer version is refused by name, before anything is touched',
      'src/store/postgres/postgres-store.test.ts > a store in PostgreSQL > many writers share one chain: each entry has its place, and none is missing',
      'src/store/postgres/postgres-store.test.ts > a store in PostgreSQL > of processes that want the same key, question or approval at once, one gets it',
      'src/store/postgres/postgres-store.test.ts > a store in PostgreSQL > of processes that want the same turn or the last room for a job at once, one gets it',
      'src/store/postgres/postgres-store.test.ts > a store in PostgreSQL > an open call of a living process is no orphan; of a killed one it is, for one process alone',
      'src/store/postgres/postgres-store.test.ts > sessions in postgres > are there after closing and opening again; a turn that was claimed before is lost',
    ],
    missing:
      'three replicas behind a proxy, events resumed on another replica, notifications instead of polling, a queue for turns, roles, the migration from SQLite',
  },
  G2: {
    promise: 'acknowledged records survive kill -9; a full disk or lost database lets no unjournaled call run',
    tests: [
      'test/faults/kill-loop.test.ts > kill -9 in a loop while calls run: acknowledged outcomes are kept, the rest reads unknown, the chain verifies',
      'test/faults/tail-races.test.ts > processes that append to one journal and are killed: each acknowledged entry is there once, where it was said to be',
      'src/store/sqlite/journal-table.test.ts > the tail of the journal > what must survive a power loss is in the table, with all before it, when sync resolves',
      'src/store/postgres/lost-connection.test.ts > what was acknowledged survives a crash of the server',
      'src/store/postgres/lost-connection.test.ts > a PostgreSQL that is away > fails what is written and read, clearly, and serves again when it is back, without losing what was acknowledged',
      'test/faults/lost-database.test.ts > while the database is away no call with an effect runs, each says why, and all is well when it is back',
    ],
    missing: 'full disk, kill -9 in a loop on PostgreSQL',
  },
  G3: {
    promise: 'overload is shed early, a sick server slows no other, SIGTERM drains',
    tests: [],
  },
  G4: {
    promise: 'hostile input causes no crash and no stall',
    tests: [
      'test/faults/mcp-bad-input.test.ts > bad input at the MCP endpoint > 10,000 malformed bodies of every kind are refused with the right code, and nobody waits 50 ms for it',
      'test/faults/mcp-bad-input.test.ts > bad input at the MCP endpoint > bombs of depth and of number are refused before they are parsed, and nobody waits 50 ms for it',
      'test/faults/mcp-bad-input.test.ts > bad input at the MCP endpoint > the largest bodies, of whatever letters, are read in steps, and nobody waits 50 ms for one',
      'test/faults/mcp-bad-input.test.ts > bad input at the MCP endpoint > bodies of 100 MB, announced or not, are refused with 413 and not read to their end',
      'src/catalog/json-schema.test.ts > hostile schemas cannot stop the process > a pattern that backtracks without end',
    ],
    missing: 'a megabyte of rules that is checked over HTTP holds up everybody for seconds',
  },
  G5: {
    promise: 'rebinding, cross-site, forged handles, SSRF, path escape, injection and token confusion are refused',
    tests: [
      'src/server/access/hosts.test.ts > DNS rebinding > refuses every route for a host that is not this server’s',
      'src/server/access/hosts.test.ts > DNS rebinding > refuses a request line that names another host, and two Host headers',
      'src/server/access/hosts.test.ts > DNS rebinding > refuses a foreign Origin on every route, also where no token is needed',
      'src/server/access/authenticate.test.ts > cross-site requests > needs a page of ours for what a cookie changes',
      'src/server/access/sign-in.test.ts > the sign-in link > is no token for the API, and the token is no code',
      'test/faults/mcp-bad-input.test.ts > bad input at the MCP endpoint > 10,000 mutations of a requestState are refused, the true one is good once, and nobody waits 50 ms for it',
      'src/server/access/oauth/forged-tokens.test.ts > a forged token > the parts of good ones, put together anew, are not taken',
      'src/server/access/oauth/oauth-access.test.ts > a token of a trusted authorization server > is refused with 401 and why, whatever is wrong with it',
      'src/server/mcp-route.test.ts > the MCP endpoint > takes agents and admins, by their token alone',
      'src/server/mcp-route.test.ts > the MCP endpoint > lets no agent choose a profile in which its own answers would count as a human’s',
      'src/sessions/agent-choices.test.ts > what an agent chooses > is no place outside the usual directory where the runtime reads files itself',
      'src/cli/serve/open-sessions.test.ts > sessions with Claude > Claude neither reads the tokens nor writes the configuration unasked, also where it works around them',
      'src/sources/mcp/http/address-guard.test.ts > a public name that resolves inside is refused when it is connected to',
      'src/sources/mcp/http/address-guard.test.ts > a host that was not configured is refused inside, even when the configured one may be there',
      'src/sources/mcp/http/http.test.ts > what a server on the network may not do > lead to another place by a redirect',
    ],
    missing: 'shell injection; the attack list as one suite',
  },
};
