import type { Section } from '../requirement.ts';

const origin =
  'test/attacks/console-origin.test.ts > another server on this host, which gets the cookie of a signed-in browser';
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
};
