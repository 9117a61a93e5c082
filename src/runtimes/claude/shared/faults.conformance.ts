import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type ClaudeFixture, openClaudeFixture } from '../../../../test/support/runtime/claude-fixture.ts';
import { claudePassthrough } from '../../../surfaces/claude/index.ts';
import type { Runtime } from '../../runtime.ts';
import type { ClaudeCodeOptions } from './claude-options.ts';

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

/** Conformance tests of both Claude Code runtimes: Claude Code dies, is missing, or has its own servers. */
export function faultsConformance(name: string, make: (options: ClaudeCodeOptions) => Runtime): void {
  describe(`failures of Claude Code (${name})`, () => {
    const programs = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-programs-')));
    after(() => rmSync(programs, { recursive: true, force: true }));

    async function withPlace(options: ClaudeCodeOptions, run: (place: ClaudeFixture) => Promise<void>): Promise<void> {
      const place = await openClaudeFixture((defaults) => make({ ...defaults, ...options }));
      try {
        await run(place);
      } finally {
        await place.close();
      }
    }

    test('reports a program that exits at once, with its last output', async () => {
      const executable = join(programs, 'exiting');
      writeFileSync(executable, `#!${process.execPath}\nconsole.error('last words of the program');process.exit(3)`, {
        mode: 0o755,
      });
      await withPlace({ executable }, async (place) => {
        const { reason, errors } = await place.turn('go');
        assert.equal(reason, 'error');
        assert.match(errors[0]?.message ?? '', /code 3/);
        assert.match(errors[0]?.message ?? '', /last words of the program/);
      });
    });

    test('reports a missing program by name', async () => {
      await withPlace({ executable: join(programs, 'missing') }, async (place) => {
        const { reason, errors } = await place.turn('go');
        assert.equal(reason, 'error');
        assert.match(errors[0]?.message ?? '', /missing/);
      });
    });

    test('ends the call and the turn when Claude Code is killed during a call', async () => {
      await withPlace({}, async (place) => {
        place.approve = () => ({ allow: true });
        place.calls(['Bash', { command: 'kill -9 $PPID; sleep 5', description: 'kills' }]);
        const { reason, errors, results } = await place.turn('go', { session: 'killed' });
        assert.equal(reason, 'error');
        assert.match(errors[0]?.message ?? '', /SIGKILL/);
        assert.deepEqual(
          results.map(({ outcome }) => outcome),
          ['cancelled'],
        );
        assert.deepEqual(
          (await place.invoked('killed')).map(({ outcome }) => outcome),
          ['cancelled'],
        );
      });
    });

    test('ends background commands of Claude Code with the turn', async () => {
      await withPlace({}, async (place) => {
        place.approve = () => ({ allow: true });
        const file = join(place.workspace, 'pid');
        const command = `echo $$ > ${file}; exec tail -f /dev/null`;
        place.calls(
          ['Bash', { command, description: 'keeps running', run_in_background: true }],
          ['Bash', { command: `until [ -s ${file} ]; do sleep 0.1; done`, description: 'waits for it' }],
        );
        const { results } = await place.turn('go');
        assert.deepEqual(
          results.map(({ outcome }) => outcome),
          ['completed', 'completed'],
        );
        const pid = Number(readFileSync(file, 'utf8'));
        assert.ok(pid > 0);
        assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
      });
    });

    test('a passthrough server works beside the servers of the box, and its calls are recorded', async () => {
      const place = await openClaudeFixture((defaults, box) => {
        const config = { type: 'stdio' as const, command: process.execPath, args: [everything], alwaysLoad: true };
        return make({ ...defaults, passthrough: claudePassthrough(box, { every: { config } }) });
      });
      try {
        place.calls(['mcp__every__echo', { message: 'from outside' }], ['mcp__signalbox__ping', {}]);
        const { text, results, events } = await place.turn('go');
        assert.deepEqual(
          results.map(({ outcome }) => outcome),
          ['completed', 'completed'],
        );
        assert.match(text, /Echo: from outside/);
        const status = events.find((event) => event.type === 'status');
        assert.deepEqual(
          status?.servers?.map((server) => [server.name, server.status]).toSorted(),
          ['every', 'local', 'signalbox'].map((server) => [server, 'connected']),
        );
        const { items } = await place.box.journal.calls({ tool: 'mcp__every__echo' });
        const call = items.find((item) => item.type === 'ToolInvoked');
        assert.deepEqual([call?.adapter, call?.observed, call?.outcome], ['mcp:every', true, 'completed']);
      } finally {
        await place.close();
      }
    });
  });
}
