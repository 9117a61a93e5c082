// Imported first, so that servers are stopped before their directories are removed.
import { closeAfterTests } from './close-after-tests.ts';
import { once } from 'node:events';
import axe from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { CliProject, waitForOutput } from '../e2e/cli-project.ts';
import { launchBrowser } from './launch-browser.ts';

/** A running `signalbox serve` with its own directory. */
export interface ServedProject {
  readonly project: CliProject;
  readonly url: string;
  /** A sign-in link, valid once. */
  readonly signInUrl: string;
  /** Sends a request to the API as an admin, and returns the parsed response. */
  request(method: string, path: string, body?: unknown): Promise<unknown>;
  stop(): Promise<void>;
  /** Kills the process without a shutdown. */
  kill(): Promise<void>;
}

export const token = 'browser-tests-admin-token';

/** Starts `signalbox serve` in its own data directory. Pass `port` to restart a server on its port. */
export async function serve(project = new CliProject(), port = 0): Promise<ServedProject> {
  const child = project.start(['serve', '--port', String(port), '--json'], { SIGNALBOX_TOKEN: token });
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
  closeAfterTests(stop);
  const { url, signInUrl } = JSON.parse(await waitForOutput(child.stdout, /\}\s*$/)) as {
    url: string;
    signInUrl: string;
  };
  const request = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return response.status === 204 ? undefined : await response.json();
  };
  return { project, url, signInUrl, request, stop, kill };
}

let launching: Promise<Browser> | undefined;

/** Returns the browser of the test file, which is closed after its tests. */
async function sharedBrowser(): Promise<Browser> {
  if (launching === undefined) {
    launching = launchBrowser();
    const browser = await launching;
    closeAfterTests(() => browser.close());
  }
  return launching;
}

/** A browser window and the errors in it. */
export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Page errors, console errors and warnings (also of the content security policy), and requests to other hosts. */
  readonly faults: string[];
}

interface WindowOptions {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** Authenticates with a token, as behind a proxy, instead of the sign-in link. */
  readonly token?: string;
}

/** A sign-in link works once, so later windows reuse the cookie and the browser key of the first one. */
const storageStates = new WeakMap<object, Awaited<ReturnType<BrowserContext['storageState']>>>();

/** Opens a signed-in window. */
export async function openWindow(
  served: Pick<ServedProject, 'url' | 'signInUrl'>,
  options: WindowOptions = {},
): Promise<Window> {
  const { theme = 'light', width = 1280, height = 860, token: bearer } = options;
  const storageState = bearer === undefined ? storageStates.get(served) : undefined;
  const browser = await sharedBrowser();
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: { width, height },
    reducedMotion: 'reduce',
    ...(storageState === undefined ? {} : { storageState }),
    ...(bearer === undefined ? {} : { extraHTTPHeaders: { authorization: `Bearer ${bearer}` } }),
  });
  closeAfterTests(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${served.url}/`) && !request.url().startsWith('data:'))
      faults.push(`request to another host: ${request.url()}`);
  });
  if (bearer !== undefined) {
    await page.goto(served.url);
    return { page, context, faults };
  }
  await page.goto(storageState === undefined ? served.signInUrl : served.url);
  if (storageState === undefined) {
    await page.waitForURL(`${served.url}/`);
    const { cookies, origins } = await context.storageState();
    // Only the browser key, because settings of one test (theme, notifications) must not affect the next.
    storageStates.set(served, {
      cookies,
      origins: origins.map(({ origin, localStorage }) => ({
        origin,
        localStorage: localStorage.filter(({ name }) => name === 'signalbox-browser-key'),
      })),
    });
  }
  return { page, context, faults };
}

/** Waits until the buttons of the displayed approval are enabled, which takes a moment after it appears. */
export async function waitUntilAnswerable(page: Page, area: Page | Locator = page): Promise<void> {
  await area.getByRole('button', { name: /^Deny/ }).and(page.locator(':enabled')).waitFor();
}

/** Returns the axe violations of a page, one string each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // The content security policy blocks an injected script; evaluated code is not subject to it.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { axe: injected } = globalThis as unknown as { axe: typeof axe };
    const found = await injected.run({ resultTypes: ['violations'] });
    return found.violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html }) => html) }));
  });
  return violations.map(({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.slice(0, 3).join('\n  ')}`);
}

/** Pages are loaded again for each width, because they may read it once; they must follow a changed theme. */
const layouts = [
  { width: 1280, themes: ['light', 'dark'] },
  { width: 390, themes: ['dark', 'light'] },
] as const;

/** Returns the errors and axe violations of pages in both themes, with the widths of a desktop and a phone. */
export async function faultsInEveryLayout(
  served: Pick<ServedProject, 'url' | 'signInUrl'>,
  paths: readonly string[],
  readySelector = 'main .card',
): Promise<string[]> {
  const found: string[] = [];
  for (const { width, themes } of layouts) {
    const { page, context, faults } = await openWindow(served, { width });
    for (const path of paths) {
      await page.goto(served.url + path);
      await page.locator('.connection.live').waitFor({ state: 'attached' });
      await page.locator(readySelector).first().waitFor();
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
