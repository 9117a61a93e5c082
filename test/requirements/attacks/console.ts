import type { Section } from '../requirement.ts';

const origin =
  'test/attacks/console-origin.test.ts > another server on this host, which gets the cookie of a signed-in browser';
const inbox = 'test/attacks/approval-inbox.test.ts > an agent that hurries, buries or hides a question in the inbox';
const callers = 'test/attacks/approval-callers.test.ts > a question whose caller goes away while its card is open';
const answers = 'test/attacks/approval-answers.test.ts > a human who answers questions';
const signIn = 'src/server/access/browser/browser-sign-in.test.ts > the sign-in link';

/** The console: keys, folds, pages and origins (H10–H19). */
export const console: Section<'H'> = {
  H10: {
    promise:
      'a browser’s cookie alone, which every server on the host receives, is refused by every API and stream route, and gives no key; the key alone is refused as well',
    tests: [
      `${origin} > is refused by every route with data, streams included, and gets the key from no page`,
      `${origin} > is refused with a key of its own making, with that of another browser, and with the key alone`,
      `${origin} > reads neither the key nor an answer with scripts in that browser`,
      `${signIn} > gives a cookie and a key, and needs both for data`,
    ],
  },
  H11: {
    promise:
      'the browser key is in the body of the sign-in page alone; it holds over a reload, in all tabs and at every replica, until the browser is signed out',
    tests: [
      `${signIn} > sets an HttpOnly, SameSite cookie, and sends the browser key only in the body`,
      `${origin} > does not disturb the console, which goes on in all tabs and after a reload`,
      `${origin} > a browser without its key says so, and goes on once another tab has signed in`,
      `${signIn} > signs in a browser again that lost its key, or has a record without one`,
      'test/e2e/any-replica.test.ts > three replicas on one PostgreSQL behind a balancer that knows nothing of sessions > a browser and a revoked token are known, and end, at every replica',
    ],
  },
  H12: {
    promise:
      'keys and clicks do not answer a question in the second after it appears; a call that cannot be undone takes a second step; a toast names what was approved and links to the call',
    tests: [
      `${inbox} > two keys 0.7 s apart answer one question, whatever comes after it`,
      `${inbox} > what cannot be undone takes a second, deliberate step; a toast says what was approved and links to the call`,
    ],
  },
  H13: {
    promise:
      'the arguments of a question are folded only with their number of lines and characters, characters that are not seen are written out, and there is a mark where they contain text that looks like shell, a URL or a path; one click opens a fold',
    tests: [
      `${inbox} > folded text says how much it is and what it contains, and opens with one click`,
      `${answers} > gets everything that a call would run with, however large, deep or odd it is`,
      'test/console/approval-view.test.ts > folded text > is measured, and commands, addresses and paths in it are recognized',
    ],
  },
  H14: {
    promise:
      'the inbox counts and pages everything that waits, lists every caller, says when a caller no longer waits and what approving does then, and keeps the selected question over a reload and answers to others',
    tests: [
      `${answers} > finds the same question after a reload, after others were answered or asked, and behind its own address`,
      `${inbox} > a question under 120 of somebody else is counted, found by its caller, and reached page by page`,
    ],
  },
  H15: {
    promise:
      'the console marks hidden parts of a question, and takes a yes only after they were revealed or acknowledged, unless all are registered secret values; after a reload they are hidden again, and a reader who may not approve is not offered to reveal them',
    tests: [
      `${answers} > is told who answered a question elsewhere, and begins again after a reload`,
      `${inbox} > hidden parts are marked, and must be revealed or acknowledged before a yes`,
      `${inbox} > a command behind the beginning of a private key is shown whole`,
      'test/console/approval-view.test.ts > hidden parts > are marked where the server says they are, before and after a reveal',
      'test/console/approval-view.test.ts > hidden parts > need a look unless all of them are registered secret values',
    ],
  },
  H16: {
    promise:
      'the console says when a yes could not be remembered, and does not offer to remember a call on a protected file, of which it shows path and role',
    tests: [
      `${inbox} > a yes that cannot be remembered says so`,
      `${answers} > sees which protected file a call writes although a rule allows it, and is not offered to remember it`,
    ],
  },
  H17: {
    promise:
      'when the caller of a question disconnects, cancels, runs out of patience or is killed, an open page, the API and the command line say so, and what approving does then',
    tests: [
      ...[
        'the HTTP API, disconnected',
        'the HTTP API, out of patience',
        'MCP over HTTP, disconnected',
        'MCP over HTTP, cancelled',
        'MCP over stdio, killed',
        'a session, interrupted',
      ].map(
        (name) =>
          `${callers} > ${name}: the card, the API and the command line say so, and what approving does` as const,
      ),
      `${callers} > a caller that comes back waits again: the button that runs the call is held back first`,
    ],
  },
  H18: {
    promise:
      'after a killed server, a call that waited is cancelled and one that ran is unknown, in the session, the API and the journal; none seems to run or wait',
    tests: [
      'test/attacks/approval-callers.test.ts > a server that is killed > leaves no call that seems to run or to wait: sessions, calls and questions say what is known',
    ],
  },
  H19: {
    promise:
      'a held key, the first key after the window got the focus, and a click on a button that changed or moved answer nothing; a question that somebody else answered says so',
    tests: [
      `${answers} > takes no step with a held key, nor with the first key after the window got the focus`,
      `${answers} > clicks nothing that changed or moved under the pointer`,
      `${answers} > is told who answered a question elsewhere, and begins again after a reload`,
    ],
  },
};
