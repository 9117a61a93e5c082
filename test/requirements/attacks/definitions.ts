import type { Section } from '../requirement.ts';

/** Definitions of servers (H60–H69). */
export const definitions: Section<'H'> = {
  H60: {
    promise:
      'a tool of an external server that claims later that it only reads keeps the stricter effect and asks, whatever rules allow, until its definition is accepted; so does one that changes any other part of its definition, apart from dates in `_meta` and unknown fields',
    tests: [
      'test/attacks/definitions.test.ts > server that changes its definitions > cannot make a tool run without approval by declaring it read-only later',
      'test/attacks/definitions.test.ts > server that changes its definitions > asks again for a tool that a rule allows by name, and keeps the accepted description',
      'test/attacks/definitions.test.ts > server that changes its definitions > cannot change icons, execution, `_meta` or unknown fields of a tool unnoticed',
      'test/attacks/definitions.test.ts > server that changes its definitions > may put the time of each listing into `_meta`',
    ],
  },
  H61: {
    promise:
      'a tool that appears on a known server asks whatever it claims; one whose definition instructs the model is not offered',
    tests: [
      'test/attacks/definitions.test.ts > server that changes its definitions > has every new tool ask, whatever it declares, and does not get one offered that instructs the model',
    ],
  },
  H62: {
    promise:
      'definitions and instructions are compared with those that were first seen, over restarts, for every replica, after pruning and after a move to PostgreSQL',
    tests: [
      'test/attacks/definitions.test.ts > server that changes its definitions > is compared with the first seen definitions after a restart, instructions included',
      'test/attacks/definitions.test.ts > server that changes its definitions > is detected by every replica, and an acceptance on one holds for all',
      'test/attacks/definitions.test.ts > server that changes its definitions > stays pinned when the journal is pruned, and when records move to PostgreSQL',
    ],
  },
  H63: {
    promise:
      'changed definitions are shown as a difference and accepted in the console, on the command line and by code',
    tests: [
      'test/attacks/definitions.test.ts > server that changes its definitions > runs as before after its definitions are accepted',
      'test/attacks/definitions-served.test.ts > changed definitions of a server in a running gateway > are shown and accepted in the console, which creates no lock file',
      'test/attacks/definitions-served.test.ts > changed definitions of a server in a running gateway > are shown by the CLI, which accepts all of them at once',
      'test/attacks/definitions-served.test.ts > changed definitions of a server in a running gateway > are accepted for one tool by the CLI, and the other tools still ask',
      'test/attacks/definitions-served.test.ts > changed definitions of a server in a running gateway > are detected after the gateway has ended, by commands that start the server themselves',
    ],
  },
  H64: {
    promise: 'definitions beyond the limits are cut or not offered, with a notice',
    tests: [
      'test/attacks/definitions.test.ts > server with hostile definitions > reaches agents with neither a description of 20 MB nor a schema of 2 MB, and the catalog gives the reason',
      'test/attacks/definitions.test.ts > server with hostile definitions > reaches agents with no more tools than a server may have',
    ],
  },
  H65: {
    promise: 'servers cannot set `_meta` keys of Signalbox in definitions and content blocks',
    tests: [
      'test/attacks/definitions.test.ts > server with hostile definitions > cannot impersonate Signalbox in `_meta` of definitions and content',
    ],
  },
  H66: {
    promise:
      'at least 90 % of the held-out poisoned examples of this repository are flagged, in time linear in the text',
    tests: [
      'src/catalog/scan/scan-text.test.ts > scanTexts > flags at least 90 % of the poisoned examples that it was not tuned with',
      'src/catalog/scan/scan-text.test.ts > scanTexts > flags orders with a pretext about other tools, commands or secrets, but no honest advice',
      'src/catalog/scan/scan-text.test.ts > scanTexts > runs in linear time',
    ],
  },
  H67: {
    promise:
      'a definition that names tools of other servers is flagged in the catalog and in the question about a call',
    tests: [
      'test/attacks/definitions.test.ts > server with hostile definitions > is flagged for naming tools of other servers, in the catalog and in the approval request',
    ],
  },
  H68: {
    promise:
      'a definition that instructs the model is flagged where people decide: terminal, MCP elicitation, console, `tools` and `approvals`',
    tests: [
      'test/attacks/definition-flags.test.ts > flag of a definition that instructs the model > is shown in the approval prompt on a terminal',
      'test/attacks/definition-flags.test.ts > flag of a definition that instructs the model > is shown in the elicitation of an MCP client',
      'test/attacks/definition-flags.test.ts > flag of a definition that instructs the model > is shown in the console, in `signalbox tools` and in `signalbox approvals`',
    ],
  },
  H69: {
    promise: 'pins hold for servers over HTTP, and are in a backup of the store',
    tests: [
      'test/attacks/definition-flags.test.ts > pins > cover servers over HTTP',
      'test/attacks/definition-flags.test.ts > pins > are included in a backup of the store',
    ],
  },
};
