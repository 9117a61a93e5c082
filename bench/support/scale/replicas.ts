import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../test/support/http/free-port.ts';
import { within } from '../../../test/support/within.ts';
import { programAt } from '../gateway/gateways.ts';

/** A running server with its own data directory, as on a separate machine. */
export interface Replica {
  readonly pid: number;
  readonly port: number;
  readonly token: string;
  stop(): Promise<void>;
}

const token = 'the-admin-token-of-all-servers-in-the-benchmark';
const tools = `
import { defineTool } from 'signalbox';
const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
export const look = defineTool({ name: 'look', description: 'Reads.', effect: 'read', input, run: ({ text }) => text });
export const act = defineTool({ name: 'act', description: 'Acts.', effect: 'irreversible', input, run: ({ text }) => text });
`;
const policies = [
  { id: 'no-keys', match: 'mcp__*', deny: "has(args.text) && args.text.contains('BEGIN PRIVATE KEY')" },
  { id: 'may-act', match: 'mcp__bench__act', allow: 'size(args.text) < 1000' },
  { id: 'sequence', requires: { mcp__ci__deploy: ['mcp__ci__build'] } },
];

/** Starts a number of servers on one database. */
export async function startReplicas(count: number, address: string): Promise<readonly Replica[]> {
  return await Promise.all(Array.from({ length: count }, () => startReplica(address)));
}

async function startReplica(address: string): Promise<Replica> {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-scale-'));
  const port = await freePort();
  const configuration = { mcpServers: { bench: { module: './tools.ts' } }, policies, store: address };
  writeFileSync(join(directory, 'signalbox.config.json'), JSON.stringify(configuration));
  writeFileSync(join(directory, 'tools.ts'), tools);
  const child = spawn(process.execPath, [programAt('bin/signalbox'), 'serve', '--port', String(port), '--json'], {
    cwd: directory,
    env: {
      ...process.env,
      SIGNALBOX_HOME: join(directory, 'data'),
      SIGNALBOX_TOKEN: token,
      SIGNALBOX_SECRETS: 'file',
      SIGNALBOX_STORE: '',
      SIGNALBOX_TRUST: 'all',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  await within(Promise.race([once(child.stdout, 'data'), closed]), 'the server is up', () => errors);
  await within(waitForTools(port), 'the tools are listed', () => errors);
  return {
    pid: child.pid ?? 0,
    port,
    token,
    async stop() {
      child.kill('SIGTERM');
      await closed;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function waitForTools(port: number): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/tools/mcp__bench__act`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await answer.body?.cancel();
    if (answer.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
