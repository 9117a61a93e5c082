import type { Section } from '../requirement.ts';

const origin =
  'test/attacks/console-origin.test.ts > another server on this host, which gets the cookie of a signed-in browser';
const inbox = 'test/attacks/approval-inbox.test.ts > an agent that hurries, buries or hides a question in the inbox';
const signIn = 'src/server/access/sign-in.test.ts > the sign-in link';

/** The console: keys, folds, pages and origins (H10–H19). */
export const console: Section<'H'> = {
  H10: {
    promise:
      'a browser’s cookie alone, which every server on the host receives, is refused by every API and stream route, and gives no key; the key alone is refused as well',
    tests: [
      `${origin} > is refused by every route with data, streams included, and gets the key from no page`,
      `${origin} > is refused with a key of its own making, with that of another browser, and with the key alone`,
      `${origin} > reads neither the key nor an answer with scripts in that browser`,
      `${signIn} > gives cookie and key, of which neither alone is good for data`,
    ],
  },
  H11: {
    promise:
      'the browser key is in the body of the sign-in page alone; it holds over a reload, in all tabs and at every replica, until the browser is signed out',
    tests: [
      `${signIn} > sets a cookie that scripts and other sites cannot use, and gives the page a key that is in the body alone`,
      `${origin} > does not disturb the console, which goes on in all tabs and after a reload`,
      `${origin} > a browser without its key says so, and goes on once another tab has signed in`,
      `${signIn} > signs a browser in again that lost its key, or was signed in by an earlier version`,
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
      'the arguments of a question are folded only with their number of lines and characters, and a mark where they contain text that looks like shell, a URL or a path; one click opens a fold',
    tests: [
      `${inbox} > folded text says how much it is and what it contains, and opens with one click`,
      'test/console/approval-view.test.ts > folded text > is measured, and commands, addresses and paths in it are recognized',
    ],
  },
  H14: {
    promise:
      'the inbox counts and pages everything that waits, lists every caller, and says when a caller no longer waits and what approving does then',
    tests: [
      `${inbox} > a question under 120 of somebody else is counted, found by its caller, and reached page by page`,
    ],
  },
  H15: {
    promise:
      'the console marks hidden parts of a question, and takes a yes only after they were revealed or acknowledged, unless all are registered secret values',
    tests: [
      `${inbox} > hidden parts are marked, and must be revealed or acknowledged before a yes`,
      `${inbox} > a command behind the beginning of a private key is shown whole`,
      'test/console/approval-view.test.ts > hidden parts > are marked where the server says they are, before and after a reveal',
      'test/console/approval-view.test.ts > hidden parts > need a look unless all of them are registered secret values',
    ],
  },
  H16: {
    promise: 'the console says when a yes could not be remembered',
    tests: [`${inbox} > a yes that cannot be remembered says so`],
  },
};
