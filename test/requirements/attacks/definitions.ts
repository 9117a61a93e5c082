import type { Section } from '../requirement.ts';

/** Definitions of servers (H60–H69). */
export const definitions: Section<'H'> = {
  H60: {
    promise:
      'a tool of an external server that claims later that it only reads keeps the stricter effect and asks, whatever rules allow, until its definition is accepted; so does one that changes any other part of its definition, apart from dates in `_meta` and unknown fields',
    tests: [
      'test/attacks/definitions.test.ts > a server that changes its definitions > does not get a tool to run unasked by claiming later that it only reads',
      'test/attacks/definitions.test.ts > a server that changes its definitions > asks again for a tool that a rule allows by name, and keeps the accepted prose',
      'test/attacks/definitions.test.ts > a server that changes its definitions > does not change icons, execution, `_meta` or unknown fields of a tool unnoticed',
      'test/attacks/definitions.test.ts > a server that changes its definitions > may say in each list when it was made',
    ],
  },
  H61: {
    promise:
      'a tool that appears on a known server asks whatever it claims; one whose definition instructs the model is not offered',
    tests: [
      'test/attacks/definitions.test.ts > a server that changes its definitions > has every new tool ask, whatever it claims, and one that instructs the model is not offered',
    ],
  },
  H62: {
    promise:
      'definitions and instructions are compared with those that were first seen, over restarts, for every replica, after pruning and after a move to PostgreSQL',
    tests: [
      'test/attacks/definitions.test.ts > a server that changes its definitions > is compared with what was first seen after a restart, also with changed instructions',
      'test/attacks/definitions.test.ts > a server that changes its definitions > is known to every replica: what one accepts holds for all',
      'test/attacks/definitions.test.ts > a server that changes its definitions > stays known when the journal is pruned, and when records move to PostgreSQL',
    ],
  },
  H63: {
    promise:
      'changed definitions are shown as a difference and accepted in the console, on the command line and by code',
    tests: [
      'test/attacks/definitions.test.ts > a server that changes its definitions > runs as before once its definitions are accepted',
      'test/attacks/definitions-served.test.ts > a served server that changes its definitions > shows the difference in the console, where it is accepted; no lock file is made',
      'test/attacks/definitions-served.test.ts > a served server that changes its definitions > shows the difference on the command line, where all of them are accepted at once',
      'test/attacks/definitions-served.test.ts > a served server that changes its definitions > has one changed tool accepted on the command line, and the others still ask',
      'test/attacks/definitions-served.test.ts > a served server that changes its definitions > is still compared after the server has ended, also by commands that start it themselves',
    ],
  },
  H64: {
    promise: 'definitions beyond the limits are cut or not offered, with a notice',
    tests: [
      'test/attacks/definitions.test.ts > a server with hostile definitions > does not reach agents with a description of 20 MB, nor with a schema of 2 MB, and says why',
      'test/attacks/definitions.test.ts > a server with hostile definitions > does not reach agents with more tools than a server may have',
    ],
  },
  H65: {
    promise: 'servers cannot set `_meta` keys of Signalbox in definitions and content blocks',
    tests: [
      'test/attacks/definitions.test.ts > a server with hostile definitions > cannot speak for Signalbox in `_meta` of definitions and content',
    ],
  },
  H66: {
    promise:
      'at least 90 % of the held-out poisoned examples of this repository are flagged, in time linear in the text',
    tests: [
      'src/catalog/scan/scan-text.test.ts > the scanner of definitions > flags at least 90 % of the poisoned examples that were not used to write it',
      'src/catalog/scan/scan-text.test.ts > the scanner of definitions > flags orders with a pretext that are about other tools, commands or secrets, and no honest advice',
      'src/catalog/scan/scan-text.test.ts > the scanner of definitions > takes time linear in the text',
    ],
  },
  H67: {
    promise:
      'a definition that names tools of other servers is flagged in the catalog and in the question about a call',
    tests: [
      'test/attacks/definitions.test.ts > a server with hostile definitions > is flagged for naming tools of other servers, in the catalog and in the question about a call',
    ],
  },
  H68: {
    promise:
      'a definition that instructs the model is flagged where people decide: terminal, MCP elicitation, console, `tools` and `approvals`',
    tests: [
      'test/attacks/definition-flags.test.ts > a definition that instructs the model is flagged in the question about its call > on a terminal',
      'test/attacks/definition-flags.test.ts > a definition that instructs the model is flagged in the question about its call > at an MCP client that asks its user',
      'test/attacks/definition-flags.test.ts > a definition that instructs the model is flagged in the question about its call > in the console, in `signalbox tools` and in `signalbox approvals`',
    ],
  },
  H69: {
    promise: 'pins hold for servers over HTTP, and are in a backup of the store',
    tests: [
      'test/attacks/definition-flags.test.ts > pins > hold for servers over HTTP',
      'test/attacks/definition-flags.test.ts > pins > are in a backup of the store',
    ],
  },
};
