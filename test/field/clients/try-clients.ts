import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../../src/core/errors.ts';
import { type Gateway, startGateway } from '../gateway.ts';
import type { PackageCache } from '../package-cache.ts';
import { type StepName, type StepOutcome, denialReason, stepNames, runSteps } from './steps.ts';
import type { FieldClient } from './target.ts';

/** The outcome of every step of one client. */
export interface ClientResult {
  readonly name: string;
  readonly package?: string;
  readonly steps: Readonly<Record<StepName, StepOutcome>>;
}

const connectTimeoutMs = 90_000;
const stepTimeoutMs = 120_000;

/** Tests clients one after another, each with a separate Signalbox server, the fixture behind it, and a human who answers. */
export async function tryClients(
  clients: readonly FieldClient[],
  cache: PackageCache,
  notInstalled: ReadonlyMap<string, string> = new Map(),
  onResult: (result: ClientResult) => void = () => undefined,
): Promise<readonly ClientResult[]> {
  const results: ClientResult[] = [];
  for (const client of clients) {
    const missing = notInstalled.get(client.package ?? '');
    const place = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-field-')));
    const result = await (
      missing === undefined ? tryClient(client, place, cache) : Promise.reject(new Error(missing))
    ).catch((error: unknown) => failed(client, error));
    rmSync(place, { recursive: true, force: true, maxRetries: 3 });
    results.push(result);
    onResult(result);
  }
  return results;
}

async function tryClient(client: FieldClient, place: string, cache: PackageCache): Promise<ClientResult> {
  const marks = join(place, 'marks');
  const home = join(place, 'home');
  const directory = join(place, 'box');
  writeFileSync(marks, '');
  mkdirSync(home);
  mkdirSync(directory);
  const program = fileURLToPath(new URL('./fixture-program.ts', import.meta.url));
  const gateway = await startGateway(directory, {
    mcpServers: { fixture: { command: process.execPath, args: [program, marks] } },
  });
  const human = startHuman(gateway);
  try {
    const { agentToken: token, configuration, data } = gateway;
    const target = { url: `${gateway.url}/mcp`, token, configuration, data, home, cache };
    const late = wait(connectTimeoutMs, undefined, { ref: false }).then(() => {
      throw new Error(`did not connect within ${connectTimeoutMs / 1000} s`);
    });
    const connected = await Promise.race([client.connect(target), late]);
    try {
      return { ...named(client), steps: await runSteps(connected, marks, stepTimeoutMs) };
    } finally {
      await connected.close();
    }
  } finally {
    await human.stop();
    await gateway.close();
  }
}

interface Approval {
  readonly id: string;
  readonly tool: string;
  readonly state: string;
}

/** Starts a simulated human, who uses the HTTP API to approve sending and deny deleting. */
function startHuman({ api }: Gateway): { stop(): Promise<void> } {
  const abort = new AbortController();
  const answer = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      const { items } = await api('GET', '/api/approvals');
      for (const { id, tool, state } of items as unknown as readonly Approval[]) {
        if (state !== 'pending') continue;
        await (tool.endsWith('send_note')
          ? api('POST', `/api/approvals/${id}/approve`, {})
          : api('POST', `/api/approvals/${id}/deny`, { reason: denialReason }));
      }
      await wait(200, undefined, { signal: abort.signal }).catch(() => undefined);
    }
  };
  const running = answer().catch((error: unknown) => console.error(`the human failed: ${messageOf(error)}`));
  return {
    async stop() {
      abort.abort();
      await running;
    },
  };
}

function named({ name, package: spec }: FieldClient): Pick<ClientResult, 'name' | 'package'> {
  return { name, ...(spec === undefined ? {} : { package: spec }) };
}

function failed(client: FieldClient, error: unknown): ClientResult {
  const outcome: StepOutcome = { kind: 'failed', reason: `not connected: ${messageOf(error)}` };
  const steps = Object.fromEntries(stepNames.map((name) => [name, outcome])) as ClientResult['steps'];
  return { ...named(client), steps };
}
