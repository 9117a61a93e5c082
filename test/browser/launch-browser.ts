import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as driver } from 'playwright-core';
import { withFileLock } from '../../src/core/locks/file-lock.ts';
import manifest from '../../package.json' with { type: 'json' };
import { root } from '../support/command.ts';

/** Whether `@sparticuz/chromium` contains a browser for this platform. */
const hasBundledBrowser = process.platform === 'linux' && process.arch === 'x64';
const cache = join(root, 'node_modules', '.cache');
const maxUnpackMs = 120_000;

/** Launches the browser without the package's own flags, which disable web security and process isolation. */
export async function launchBrowser(): Promise<Browser> {
  return driver.launch(
    hasBundledBrowser
      ? { executablePath: await unpackedBrowser(), args: ['--no-sandbox', '--no-zygote', '--disable-gpu'] }
      : { channel: 'chrome' },
  );
}

/** Returns the path of the browser. It is unpacked once into the project's cache, under a lock for concurrent test files. */
async function unpackedBrowser(): Promise<string> {
  const directory = join(cache, `chromium-${manifest.devDependencies['@sparticuz/chromium']}`);
  const executable = join(directory, 'chromium');
  if (existsSync(executable)) return executable;
  mkdirSync(cache, { recursive: true });
  return withFileLock(join(cache, 'chromium.lock'), maxUnpackMs, async () => {
    if (!existsSync(executable)) await unpack(directory);
    return executable;
  });
}

/** Unpacks into a new directory and renames it, so that no test starts an incomplete browser. */
async function unpack(directory: string): Promise<void> {
  const unpacked = mkdtempSync(join(cache, 'chromium-'));
  const { TMPDIR } = process.env;
  // The package always unpacks into the temporary directory of the system, which other users share.
  process.env['TMPDIR'] = unpacked;
  try {
    await chromium.executablePath();
    for (const path of [unpacked, join(unpacked, 'chromium')]) chmodSync(path, 0o755);
    renameSync(unpacked, directory);
  } catch (error) {
    rmSync(unpacked, { recursive: true, force: true });
    if (!existsSync(directory)) throw error;
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  }
}
