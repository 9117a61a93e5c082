import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as driver } from 'playwright-core';
import { whileLocked } from '../../src/cli/file-lock.ts';

/** For which machines the package brings a browser. */
const isBrought = process.platform === 'linux' && process.arch === 'x64';

/** Without the package's own flags: one process for everything, and no rule of the web, would show us another browser than people have. */
export async function launchBrowser(): Promise<Browser> {
  return driver.launch(
    isBrought
      ? { executablePath: await unpacked(), args: ['--no-sandbox', '--no-zygote', '--disable-gpu'] }
      : { channel: 'chrome' },
  );
}

/** It is unpacked once on a machine, and several files of tests may ask for it at the same time. */
function unpacked(): Promise<string> {
  return whileLocked(join(tmpdir(), 'signalbox-chromium.lock'), 60_000, () => chromium.executablePath());
}
