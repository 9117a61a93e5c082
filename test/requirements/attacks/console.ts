import type { Section } from '../requirement.ts';

const origin = 'test/attacks/console-origin.test.ts > another origin on the same host that receives the browser cookie';
const inbox = 'test/attacks/approval-inbox.test.ts > approval inbox under manipulation by an agent';
const callers = 'test/attacks/approval-callers.test.ts > pending approval whose caller disconnects';
const answers = 'test/attacks/approval-answers.test.ts > approval inbox in the browser';
const signIn = 'src/server/access/browser/browser-sign-in.test.ts > the sign-in link';

/** The console: keys, folds, pages and origins (H10–H19). */
export const console: Section<'H'> = {
  H10: {
    promise:
      'a browser’s cookie alone, which every server on the host receives, is refused by every API and stream route, and gives no key; the key alone is refused as well',
    tests: [
      `${origin} > is rejected by every route with data, streams included, and no page reveals the key to it`,
      `${origin} > is rejected with a forged key, with the key of another browser, and with the key alone`,
      `${origin} > cannot read the key or a response with scripts in that browser`,
      `${signIn} > issues a cookie and a key, and data requires both`,
    ],
  },
  H11: {
    promise:
      'the browser key is in the body of the sign-in page alone; it holds over a reload, in all tabs and at every replica, until the browser is signed out',
    tests: [
      `${signIn} > sets an HttpOnly, SameSite cookie and sends the browser key only in the body`,
      `${origin} > does not disturb the console, which continues in all tabs and after a reload`,
      `${origin} > a browser without its key asks to sign in, and continues once another tab has signed in`,
      `${signIn} > signs in a browser again that lost its key or whose stored session has none`,
      'test/e2e/any-replica.test.ts > three replicas on one PostgreSQL behind a load balancer without sticky sessions > sign-ins, sign-outs and revoked tokens take effect at every replica',
    ],
  },
  H12: {
    promise:
      'keys and clicks do not answer a question in the second after it appears; a call that cannot be undone takes a second step; a toast names what was approved and links to the call',
    tests: [
      `${inbox} > two key presses 0.7 s apart answer one request, and not the next one`,
      `${inbox} > an irreversible call needs a second, deliberate step; the toast names the approved call and links to it`,
      'test/browser/inbox.test.ts > the inbox > accepts a key at once after the user went back from a step',
    ],
  },
  H13: {
    promise:
      'the arguments of a question are folded only with their number of lines and characters, characters that are not seen are written out, and there is a mark where they contain text that looks like shell, a URL or a path; one click opens a fold',
    tests: [
      `${inbox} > folded text shows its length and kind of content, and expands with one click`,
      `${answers} > shows all arguments of a call, however large, deeply nested or unusual`,
      'test/console/approval-view.test.ts > folded text > is measured, and shell commands, URLs and paths in it are recognized',
    ],
  },
  H14: {
    promise:
      'the inbox counts and pages everything that waits, lists every caller, says when a caller no longer waits and what approving does then, and keeps the selected question over a reload and answers to others',
    tests: [
      `${answers} > shows the same request after a reload, after other requests are answered or added, and at its own URL`,
      `${inbox} > a request below 120 of another caller is counted, found by its caller, and reachable page by page`,
    ],
  },
  H15: {
    promise:
      'the console marks hidden parts of a question, and takes a yes only after they were revealed or acknowledged, unless all are registered secret values; after a reload they are hidden again, and a reader who may not approve is not offered to reveal them',
    tests: [
      `${answers} > shows who answered a request elsewhere, and hides revealed parts after a reload`,
      `${inbox} > hidden parts are marked, and must be revealed or acknowledged before approval`,
      `${inbox} > a command after a private key header is shown in full`,
      'test/console/approval-view.test.ts > hidden parts > are marked at the positions that the server reports, before and after a reveal',
      'test/console/approval-view.test.ts > hidden parts > require a reveal unless all of them are registered secrets',
    ],
  },
  H16: {
    promise:
      'the console says when a yes could not be remembered, and does not offer to remember a call on a protected file, of which it shows path and role',
    tests: [
      `${inbox} > an approval that cannot be remembered is shown as not remembered`,
      `${answers} > shows which protected file a call writes although a rule allows it, and does not offer to remember it`,
    ],
  },
  H17: {
    promise:
      'when the caller of a question disconnects, cancels, runs out of patience or is killed, an open page, the API and the command line say so, and what approving does then',
    tests: [
      ...[
        'HTTP API, disconnected',
        'HTTP API, wait timed out',
        'MCP over HTTP, disconnected',
        'MCP over HTTP, cancelled',
        'MCP over stdio, killed',
        'session, interrupted',
      ].map(
        (name) =>
          `${callers} > ${name}: inbox, API and CLI show that the caller is gone, and what approving does` as const,
      ),
      `${callers} > a caller that reconnects is waiting again, and the button that runs the call is disabled at first`,
    ],
  },
  H18: {
    promise:
      'after a killed server, a call that waited is cancelled and one that ran is unknown, in the session, the API and the journal; none seems to run or wait',
    tests: [
      'test/attacks/approval-callers.test.ts > killed server with open calls > shows no call as running or waiting after a restart: sessions, calls and approvals report what is known',
    ],
  },
  H19: {
    promise:
      'a held key, the first key after the window got the focus, and a click on a button that changed or moved answer nothing; a question that somebody else answered says so',
    tests: [
      `${answers} > ignores a repeated key that is held down, and the first key after the window gains focus`,
      `${answers} > ignores a click when the request changes or the button moves under the pointer`,
      `${answers} > shows who answered a request elsewhere, and hides revealed parts after a reload`,
    ],
  },
};
