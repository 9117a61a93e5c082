import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ProcessGroup } from '../../src/process/process-group.ts';
import { mcpServer } from '../../src/index.ts';
import { until } from '../mcp-servers/boxed.ts';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { isFull } from '../support/faults.ts';

const cycles = isFull() ? 1000 : 150;
const mark = `7${process.pid}`;

interface Found {
  readonly pid: number;
  readonly isZombie: boolean;
}

/** Returns the processes whose command line contains the mark, and the zombie children of this process. */
function markedOrZombies(): Found[] {
  return readdirSync('/proc').flatMap((name): Found[] => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const isZombie = state === 'Z' && Number(parent) === process.pid;
      const isOurs = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').includes(mark);
      return isZombie || (isOurs && state !== 'Z') ? [{ pid: Number(name), isZombie }] : [];
    } catch {
      return []; // The process has exited meanwhile.
    }
  });
}

/** Resolves when no marked process is left: the kernel ends a killed process some time after the signal. */
async function allEnded(): Promise<void> {
  await until(() => markedOrZombies().length === 0, 'all marked processes have ended');
}

describe('processes of MCP servers', { skip: process.platform !== 'linux' && 'reads /proc' }, () => {
  // A defect of the TypeScript SDK that does not affect us: #2023, closing leaves grandchildren behind.
  test(
    'servers that fork a grandchild, started and ended in every way: no orphan, no zombie',
    { timeout: 900_000 },
    async () => {
      // Shells that leave a child behind: in the background, ignoring SIGTERM, or holding the output open.
      const scripts = [
        `sleep ${mark} & cat`,
        `sleep ${mark} & exit 0`,
        `(trap "" TERM; sleep ${mark}; sleep ${mark}) & cat`,
        `trap "" TERM; sleep ${mark} & exec sleep ${mark}`,
      ];
      const cycle = async (index: number): Promise<void> => {
        const group = new ProcessGroup({ command: '/bin/sh', args: ['-c', scripts[index % 4] ?? ''] });
        group.child.stdin.on('error', () => undefined);
        await new Promise((resolve) => setTimeout(resolve, (index * 7) % 30));
        if (index % 3 === 0) await group.stop();
        else if (index % 3 === 1) await group.kill();
        else {
          group.child.kill('SIGKILL');
          await group.ended;
        }
      };
      let next = 0;
      const workers = Array.from({ length: 64 }, async () => {
        while (next < cycles) await cycle(next++);
      });
      await Promise.all(workers);
      await allEnded();
    },
  );

  test('a mounted server that is killed, restarted and closed leaves no process', { timeout: 60_000 }, async () => {
    const transport = fixtureProgram('legacy', '--fork', '--many', mark.slice(-2));
    const server = mcpServer({ name: 'forking', transport: { ...transport, args: [...(transport.args ?? []), mark] } });
    await server.ready();
    for (let round = 0; round < 3; round += 1) {
      const [leader] = markedOrZombies();
      assert.ok(leader !== undefined);
      process.kill(leader.pid, 'SIGKILL');
      await until(() => server.health().restarts === 2 * round + 1, 'the server is up again');
      await server.restart();
    }
    await server.close();
    await allEnded();
  });

  test('servers end with this process if it exits without closing them', async () => {
    const index = fileURLToPath(new URL('../../src/index.ts', import.meta.url));
    const transport = fixtureProgram('legacy', '--fork', mark);
    const script = `
      const { mcpServer } = await import(${JSON.stringify(index)});
      const server = mcpServer({ name: 'left', transport: ${JSON.stringify(transport)} });
      await server.ready();
      console.log(server.health().state);
      process.exit(0);`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    assert.equal(output, 'up\n');
    await allEnded();
  });
});
