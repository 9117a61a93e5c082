import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const peersDirectory = join(import.meta.dirname, '..', '..', 'peers');

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** An installed third-party product. */
export interface Peer {
  readonly name: string;
  readonly version: string;
  readonly directory: string;
}

/** Returns the peers in the versions of `bench/peers/package.json`. Installs missing ones, which requires the registry. */
export function installPeers(): readonly Peer[] {
  const wanted = Object.entries(manifestIn(peersDirectory).dependencies ?? {});
  const isInstalled = wanted.every(([name, version]) => installed(name)?.version === version);
  if (!isInstalled) {
    console.log('installing the peers into bench/peers …');
    try {
      const options = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
      execFileSync('npm', ['install', ...options], { cwd: peersDirectory, stdio: 'pipe', timeout: 300_000 });
    } catch (error) {
      const output = String((error as { stderr?: Buffer }).stderr ?? '');
      const reason = /^npm error (?!code).*$/m.exec(output)?.[0] ?? String(error);
      console.log(`the peers cannot be installed, so they are not measured; is the registry reachable? ${reason}`);
    }
  }
  return installedPeers();
}

/** Returns the installed peers. */
export function installedPeers(): readonly Peer[] {
  return Object.keys(manifestIn(peersDirectory).dependencies ?? {}).flatMap((name) => installed(name) ?? []);
}

function installed(name: string): Peer | undefined {
  const directory = join(peersDirectory, 'node_modules', name);
  const { version } = existsSync(directory) ? manifestIn(directory) : {};
  return version === undefined ? undefined : { name, version, directory };
}

function manifestIn(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
}
