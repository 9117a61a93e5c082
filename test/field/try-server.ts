import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonObject } from '../../src/core/json/json.ts';
import { minimalEnvironment } from '../../src/process/minimal-environment.ts';
import { picture } from './clients/fixture-content.ts';
import { type Difference, compareObservations } from './compare.ts';
import { renamesIn } from './documented-transforms.ts';
import { startGateway } from './gateway.ts';
import { HttpLink } from './http-link.ts';
import { type Observation, type Plan, observe, planFrom } from './observe.ts';
import { RpcClient } from './rpc-client.ts';
import { type FieldServer, fillIn } from './server-list.ts';
import { type Launch, StdioLink } from './stdio-link.ts';

const noNetwork = join(import.meta.dirname, 'no-network.mjs');

/** The outcome of one server. */
export interface ServerResult {
  readonly name: string;
  readonly package: string;
  /** `undefined` if the server did not start. */
  readonly counts:
    | { readonly tools: number; readonly prompts: number; readonly resources: number; readonly requests: number }
    | undefined;
  readonly differences: readonly Difference[];
  /** The reason why it could not be compared. */
  readonly failure?: string;
}

/** Starts a server directly and behind Signalbox, in the same directories, and compares the observations of a client. */
export async function tryServer(server: FieldServer, program: string): Promise<ServerResult> {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-field-')));
  const directories = { workspace: join(place, 'workspace'), home: join(place, 'home') };
  const { name, args = [], env = {}, settings = {}, calls, masks } = fillIn(server, directories);
  const named = { HOME: directories.home, CI: '1', ...env };
  const launch: Launch = {
    command: process.execPath,
    args: ['--import', noNetwork, program, ...args],
    env: minimalEnvironment(named),
    cwd: directories.workspace,
  };
  const roots = [{ uri: pathToFileURL(directories.workspace).href, name: 'workspace' }];
  let direct: { seen: Observation; plan: Plan } | undefined;
  try {
    fillDirectories(directories);
    direct = await withClient(new RpcClient(new StdioLink(launch), roots), (client) =>
      observe(client, (lists) => planFrom(lists, calls)),
    );
    const { plan, seen } = direct;
    fillDirectories(directories);
    const behind = await observeBehind(join(place, 'box'), name, { ...launch, env: named, ...settings }, roots, plan);
    return { ...summary(server, direct), differences: compareObservations(name, seen, behind, masks) };
  } catch (error) {
    return {
      ...summary(server, direct),
      differences: [],
      failure: error instanceof Error ? error.message : String(error),
    };
  } finally {
    rmSync(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function observeBehind(
  directory: string,
  name: string,
  entry: JsonObject,
  roots: readonly { uri: string; name: string }[],
  plan: Plan,
): Promise<Observation> {
  const gateway = await startGateway(directory, {
    mcpServers: { [name]: entry },
    policies: [{ id: 'field', allow: true }],
    profiles: { field: { servers: [name] } },
  });
  try {
    const link = new HttpLink(`${gateway.url}/mcp/field`, gateway.agentToken);
    const { seen } = await withClient(new RpcClient(link, roots), (client) =>
      observe(
        client,
        () => plan,
        (own, listed) => renamesIn(name, [own], listed).get(own) ?? own,
      ),
    );
    return seen;
  } finally {
    await gateway.close();
  }
}

async function withClient<Value>(client: RpcClient, work: (client: RpcClient) => Promise<Value>): Promise<Value> {
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

function summary(
  server: FieldServer,
  direct: { seen: Observation; plan: Plan } | undefined,
): Omit<ServerResult, 'differences'> {
  return {
    name: server.name,
    package: server.package,
    counts: direct && {
      tools: direct.seen.tools.length,
      prompts: direct.seen.prompts.length,
      resources: direct.seen.resources.length + direct.seen.resourceTemplates.length,
      requests: direct.plan.calls.length + direct.plan.reads.length + direct.plan.gets.length,
    },
  };
}

/** Makes the directories as they were before the first run: a small project and an empty home. */
function fillDirectories({ workspace, home }: { readonly workspace: string; readonly home: string }): void {
  for (const directory of [workspace, home]) {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
  }
  writeFileSync(join(workspace, 'notes.md'), '# Notes\n\nMilk, bread, a long walk.\n');
  writeFileSync(join(workspace, 'data.json'), '{ "answer": 42 }\n');
  writeFileSync(join(workspace, 'script.js'), 'var unused = 1;\n');
  writeFileSync(join(workspace, 'picture.png'), Buffer.from(picture, 'base64'));
  writeFileSync(join(workspace, 'long.txt'), 'A line of a long text.\n'.repeat(1500));
}
