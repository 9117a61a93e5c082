import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openBoxForDiagnosis } from '../../src/host/box/open-box.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import { parseConfiguration } from '../../src/config/file/load-configuration.ts';
import { until } from '../mcp-servers/boxed.ts';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const rounds = 6;

/** Returns the remaining processes of process groups, by the ids of their leaders, with zombie children of this process. */
function remainingProcesses(leaders: ReadonlySet<number>): string[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const isRemaining = state !== 'Z' || Number(parent) === process.pid;
      return isRemaining && leaders.has(Number(group)) ? [stat.trim()] : [];
    } catch {
      return []; // The process has exited meanwhile.
    }
  });
}

test(
  'a configuration that changes under load: every call ends, none fails without a reason, and no process or grandchild is left',
  { timeout: 600_000, skip: process.platform !== 'linux' && 'reads /proc' },
  async (t) => {
    const directory = temporaryDirectory(t);
    const { command, args = [] } = fixtureProgram('legacy', '--pid', '--fork');
    const configuration = (round: number): Configuration => {
      const mcpServers = {
        steady: { command, args },
        changing: { command, args: [...args, '--many', String(round)], disabled: round % 3 === 2 },
        ...(round % 2 === 0 && { coming: { command, args } }),
      };
      return parseConfiguration(JSON.stringify({ mcpServers }), join(directory, 'signalbox.config.json'));
    };
    const configured = await openBoxForDiagnosis(configuration(0), { waitMs: 60_000, secretsFrom: directory });
    const { box } = configured;
    const leaders = new Set<number>();
    const outcomes = new Map<string, number>();
    const abort = new AbortController();
    const caller = async (server: string): Promise<void> => {
      while (!abort.signal.aborted) {
        const { outcome, content, error } = await box.call(`mcp__${server}__echo_pid`);
        const [first] = content;
        if (outcome === 'completed' && first?.type === 'text') leaders.add(Number(first.text));
        const ended = `${server} ${outcome} ${error?.code ?? ''}`.trim();
        outcomes.set(ended, (outcomes.get(ended) ?? 0) + 1);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    };
    const callers = ['steady', 'changing', 'coming'].map(caller);
    for (let round = 1; round <= rounds; round += 1) {
      const { status, details } = await configured.reload(() => configuration(round));
      assert.equal(status, 'applied', details.join());
      const isUp = (): boolean => box.catalog().servers.every((server) => server.status !== 'down');
      await until(isUp, `round ${round} is up`, 60_000);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    abort.abort();
    await Promise.all(callers);
    await configured.close();
    assert.ok(leaders.size > rounds, 'servers were replaced');
    assert.deepEqual(
      [...outcomes.keys()].filter((ended) => ended.startsWith('steady')),
      ['steady completed'],
      'a server with an unchanged entry is not touched',
    );
    // A call during the absence of a server is rejected before it runs; a running call ends normally.
    const expected = /^(?:changing|coming) (?:completed|failed server-down|denied (?:tool-hidden|tool-unknown))$/;
    const others = [...outcomes.keys()].filter((ended) => !ended.startsWith('steady') && !expected.test(ended));
    assert.deepEqual(others, []);
    assert.deepEqual(remainingProcesses(leaders), []);
  },
);
