import type { Section } from '../requirement.ts';

/** Secrets, request bodies, streams and locks (H80–H89). */
export const input: Section<'H'> = {
  H80: {
    promise: 'streams of events lose and reorder nothing, and a session hears of a call before its approval',
    tests: [
      'src/core/async/async-queue.test.ts > AsyncQueue > delivers every value once and in order, in any interleaving of writer and reader',
      'src/runtimes/turn-stream.test.ts > turnStream > loses no event, after any number of microtasks',
      'src/sessions/create-sessions.test.ts > sessions > emit a call before its approval request',
      'src/sessions/create-sessions.test.ts > sessions > emit a call before its question to the user',
    ],
  },
  H81: {
    promise: 'the lock around the renewal of a sign-in is never taken from a living process, and ends with its process',
    tests: [
      'src/core/locks/file-lock.test.ts > withFileLock > never takes over the lock of a live process, however old its file',
      'src/core/locks/file-lock.test.ts > withFileLock > releases the lock of a killed process, to one waiting caller at a time',
    ],
  },
  H82: {
    promise: 'the HTTP API refuses the same bodies as the MCP endpoint, at every route, before they are parsed',
    tests: [
      ...[
        'millions of nested lists',
        '100,000 nested objects',
        'millions of values',
        'millions of empty lists',
        'hundreds of thousands of keys',
        'the same key twice',
        'the same key twice, once escaped',
      ].map(
        (name) =>
          `test/attacks/request-bodies.test.ts > hostile request bodies > ${name}: the HTTP API rejects the body, and nothing is called` as const,
      ),
      'test/attacks/request-bodies.test.ts > hostile request bodies > every route that takes a body enforces these limits',
      'test/attacks/request-bodies.test.ts > hostile request bodies > the MCP endpoint answers a body that is not UTF-8 with the JSON-RPC error for malformed text',
    ],
  },
  H83: {
    promise:
      'a registered secret stays out of the records when it is written in markup, shell quotes, UTF-16, two encodings or wrapped lines, and out of listings when its own server shows it',
    tests: [
      ...[
        'HTML',
        'HTML with hexadecimal quotes',
        'XML',
        'HTML twice',
        'decimal character references',
        'hexadecimal character references',
        'single quotes of a shell',
        'single and double quotes of a shell',
        'double quotes of a shell',
        'the escapes of printf %q',
        'percent-encoding twice',
        'base64 twice',
        'base64 in a query',
        'UTF-16 in base64, as PowerShell takes it',
        'UTF-16 in hex',
        'big-endian UTF-16 in hex',
        'UTF-16 read as bytes',
        'big-endian UTF-16 read as bytes',
        'lines of 20 characters',
        'lines of base64 with 64 characters',
        'lines of base64 with 76 characters, indented',
        'soft line breaks of quoted-printable',
      ].map(
        (name) =>
          `test/attacks/secrets.test.ts > encoded secrets > ${name}: neither arguments nor results leave the secret in the records` as const,
      ),
      'test/attacks/secrets.test.ts > encoded secrets > a secret in the texts of its own server appears neither in listings, nor in the HTTP API, nor in the lock',
    ],
  },
  H84: {
    promise: 'a viewer sees in no transcript, stream, list or stored result of a session what approvals hide',
    tests: [
      'test/attacks/secrets.test.ts > redaction for viewers > a session shows viewers no secrets in lists, transcripts or streams, but shows them to approvers and its own agent',
      'test/attacks/secrets.test.ts > redaction for viewers > a stored result is redacted, at any page offset',
    ],
  },
  H86: {
    promise:
      'a password in free text is hidden in approvals and journal, its value alone; references and prose are not',
    tests: [
      'test/attacks/hidden-arguments.test.ts > secrets in a command, and commands disguised as secrets > a password in a command is hidden in the request and in the journal, and the text around it is not',
      'src/redaction/secret-patterns.test.ts > well-known token formats > redacts a password in free text, and nothing around it',
    ],
  },
  H85: {
    promise:
      'plain data and built-in objects from a transform are the same to policy, journal and handler; an object that could be two things is refused',
    tests: [
      'test/attacks/arguments.test.ts > arguments seen by policy > a transform cannot show one value to policy and another to the handler',
      'test/attacks/arguments.test.ts > arguments seen by policy > dates, maps, sets, URLs, bytes and class instances reach the handler unchanged',
    ],
  },
};
