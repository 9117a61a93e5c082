import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import type { JsonObject } from '../../src/core/json/json.ts';
import { minimalEnvironment } from '../../src/process/minimal-environment.ts';
import { observe } from '../field/observe.ts';
import { PackageCache } from '../field/package-cache.ts';
import { RpcClient } from '../field/rpc-client.ts';
import { type FieldServer, fillIn, readServerList } from '../field/server-list.ts';
import { StdioLink } from '../field/stdio-link.ts';

/** The texts of a published server for models: its tools, its prompts, and its instructions. */
export interface PublishedServer {
  readonly server: string;
  readonly package: string;
  readonly instructions?: string;
  readonly tools: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
}

const noNetwork = join(import.meta.dirname, '..', 'field', 'no-network.mjs');

/** Starts every published server of `npm run field`, and writes its lists to a file, one line for each. Returns the failures. */
export async function collectPublished(file: string, packages: PackageCache): Promise<string[]> {
  const lines: string[] = [];
  const failures: string[] = [];
  for (const server of readServerList()) {
    try {
      await packages.install(server.package);
      lines.push(JSON.stringify(await listDefinitions(server, packages.programOf(server.package, server.bin))));
      console.error(`${server.name}: listed`);
    } catch (error) {
      failures.push(`${server.package}: ${messageOf(error).split('\n')[0]}`);
    }
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${lines.join('\n')}\n`);
  return failures;
}

/** Reads the servers that were collected before, or returns `undefined`. */
export function readPublished(file: string): PublishedServer[] | undefined {
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as PublishedServer);
}

async function listDefinitions(server: FieldServer, program: string): Promise<PublishedServer> {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-scan-')));
  const directories = { workspace: join(place, 'workspace'), home: join(place, 'home') };
  for (const directory of Object.values(directories)) mkdirSync(directory);
  const { args = [], env = {} } = fillIn(server, directories);
  const link = new StdioLink({
    command: process.execPath,
    args: ['--import', noNetwork, program, ...args],
    env: minimalEnvironment({ HOME: directories.home, CI: '1', ...env }),
    cwd: directories.workspace,
  });
  const client = new RpcClient(link);
  try {
    const { seen } = await observe(client, () => ({ calls: [], reads: [], gets: [] }));
    const { instructions } = seen.initialize;
    return {
      server: server.name,
      package: server.package,
      ...(typeof instructions === 'string' ? { instructions } : {}),
      tools: seen.tools,
      prompts: seen.prompts,
    };
  } finally {
    await client.close();
    rmSync(place, { recursive: true, force: true, maxRetries: 3 });
  }
}
