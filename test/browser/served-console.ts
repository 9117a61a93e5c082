// First, so that what runs is ended before its directory is removed.
import { closeLater } from './close-after-tests.ts';
import { once } from 'node:events';
import axe from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { Place, said } from '../e2e/cli-place.ts';
import { launchBrowser } from './launch-browser.ts';

/** A server of its own, started as people start it. */
export interface ServedPlace {
  readonly place: Place;
  readonly url: string;
  /** A link that signs one browser in. */
  readonly signInUrl: string;
  /** Asks the API as an admin. */
  ask(method: string, path: string, body?: unknown): Promise<unknown>;
  stop(): Promise<void>;
  /** Kills it: it gets no time to record anything. */
  kill(): Promise<void>;
}

export const token = 'browser-tests-admin-token';

/** Starts `signalbox serve` in an own data directory; `port` to start one again where it was. */
export async function serve(place = new Place(), port = 0): Promise<ServedPlace> {
  const child = place.start(['serve', '--port', String(port), '--json'], { SIGNALBOX_TOKEN: token });
  const closed = once(child, 'close');
  child.stderr.resume();
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await closed;
  };
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await closed;
  };
  closeLater(stop);
  const { url, signInUrl } = JSON.parse(await said(child.stdout, /\}\s*$/)) as { url: string; signInUrl: string };
  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return response.status === 204 ? undefined : await response.json();
  };
  return { place, url, signInUrl, ask, stop, kill };
}

let launching: Promise<Browser> | undefined;

/** One browser for a file of tests, closed with it. */
function browser(): Promise<Browser> {
  launching ??= launch();
  return launching;
}

async function launch(): Promise<Browser> {
  const started = await launchBrowser();
  closeLater(() => started.close());
  return started;
}

/** A browser's window, and what went wrong in it. */
export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the page, refused by the content security policy, and requests to anywhere else. */
  readonly faults: string[];
}

interface Look {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** Is let in by a token, which a proxy before the server sends along, and not by the link. */
  readonly token?: string;
}

/** The link works once; the browsers after the first one have its cookie and its key. */
const signedIn = new WeakMap<object, Awaited<ReturnType<BrowserContext['storageState']>>>();

/** Opens a window that is let in. */
export async function openWindow(served: Pick<ServedPlace, 'url' | 'signInUrl'>, look: Look = {}): Promise<Window> {
  const { theme = 'light', width = 1280, height = 860, token: bearer } = look;
  const known = bearer === undefined ? signedIn.get(served) : undefined;
  const context = await (
    await browser()
  ).newContext({
    colorScheme: theme,
    viewport: { width, height },
    reducedMotion: 'reduce',
    ...(known === undefined ? {} : { storageState: known }),
    ...(bearer === undefined ? {} : { extraHTTPHeaders: { authorization: `Bearer ${bearer}` } }),
  });
  closeLater(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${served.url}/`) && !request.url().startsWith('data:'))
      faults.push(`asked ${request.url()}`);
  });
  if (bearer !== undefined) {
    await page.goto(served.url);
    return { page, context, faults };
  }
  await page.goto(known === undefined ? served.signInUrl : served.url);
  if (known === undefined) {
    await page.waitForURL(`${served.url}/`);
    const { cookies, origins } = await context.storageState();
    // Nothing but the key: what a test chose (a theme, notifications) is not for the next one.
    signedIn.set(served, {
      cookies,
      origins: origins.map(({ origin, localStorage }) => ({
        origin,
        localStorage: localStorage.filter(({ name }) => name === 'signalbox-browser-key'),
      })),
    });
  }
  return { page, context, faults };
}

/** Waits until the question that is shown takes an answer: for a moment after it appeared it does not. */
export async function takesAnswer(page: Page, where: Page | Locator = page): Promise<void> {
  await where.getByRole('button', { name: /^Deny/ }).and(page.locator(':enabled')).waitFor();
}

/** What axe finds wrong on a page, one line each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // The policy of the page lets no script in from outside, which is as it should be; what is evaluated is not of the page.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { axe: there } = globalThis as unknown as { axe: typeof axe };
    const found = await there.run({ resultTypes: ['violations'] });
    return found.violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html }) => html) }));
  });
  return violations.map(({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.slice(0, 3).join('\n  ')}`);
}

/** A page is opened anew for another width, which it may ask for once; a theme it has to follow. */
const looks = [
  { width: 1280, themes: ['light', 'dark'] },
  { width: 390, themes: ['dark', 'light'] },
] as const;

/** What is wrong with pages, in both themes, as wide as a desk and as narrow as a phone. */
export async function faultsInEveryLook(
  served: Pick<ServedPlace, 'url' | 'signInUrl'>,
  paths: readonly string[],
  isThere = 'main .card',
): Promise<string[]> {
  const found: string[] = [];
  for (const { width, themes } of looks) {
    const { page, context, faults } = await openWindow(served, { width });
    for (const path of paths) {
      await page.goto(served.url + path);
      await page.locator('.connection.live').waitFor({ state: 'attached' });
      await page.locator(isThere).first().waitFor();
      for (const theme of themes) {
        await page.emulateMedia({ colorScheme: theme });
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        if (overflow > 0) faults.push(`${overflow} pixels too wide`);
        faults.push(...(await accessibilityFaults(page)));
        found.push(...faults.splice(0).map((fault) => `${path} ${theme}, ${width} pixels: ${fault}`));
      }
    }
    await context.close();
  }
  return found;
}
