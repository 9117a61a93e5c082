import { openSignalbox } from '../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { ann, textTurn } from '../../test/support/sessions/session-fixture.ts';
import { runtimeTools } from '../runtimes/runtime-tools.ts';
import type { Agent } from './agent.ts';
import { createSessions } from './create-sessions.ts';
import { JobScheduler } from './schedules/schedules.ts';
import type { Sessions } from './sessions.ts';

const bot = { id: 'token:tok_1', kind: 'agent' } as const;

interface Setup {
  readonly sessions: Sessions;
  readonly schedules: JobScheduler;
  readonly home: string;
  /** The time of the clock of the schedules. */
  now: number;
}

/** Opens sessions with an agent that has full access to `home`, and an agent that is only a model. */
async function setUp(t: TestContext): Promise<Setup> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-choices-')));
  const home = join(directory, 'home');
  mkdirSync(join(home, 'project'), { recursive: true });
  mkdirSync(join(directory, 'home-of-others'));
  symlinkSync(directory, join(home, 'up'));
  const own = runtimeTools('claude');
  const box = await openSignalbox({ data: join(directory, 'data'), servers: [own] });
  const agent = (name: string, runtime: string): Agent => ({
    name,
    runtime: { name: runtime, turn: () => textTurn('done'), close: () => Promise.resolve() },
    runtimeTools: own,
    cwd: home,
    permissionMode: 'bypassPermissions',
  });
  const all = [agent('unrestricted', 'claude'), agent('chat', 'model')];
  const sessions = await createSessions({ box, agents: { defaultName: 'unrestricted', list: () => all } });
  const setup: Setup = {
    sessions,
    schedules: new JobScheduler({ store: box.jobStore, sessions, redact: (text) => text, now: () => setup.now }),
    home,
    now: Date.parse('2026-11-16T08:30:00Z'),
  };
  t.after(async () => {
    await setup.schedules.close();
    await sessions.close({ graceMs: 0 });
    await box.close({ graceMs: 0 });
    rmSync(directory, { recursive: true });
  });
  return setup;
}

describe('sessions that an agent creates', () => {
  test('never get a mode that is freer than the policy, neither from the configuration nor by a fork or a job', async (t) => {
    const setup = await setUp(t);
    const { sessions, schedules } = setup;
    assert.equal((await sessions.create({}, ann)).permissionMode, 'bypassPermissions');
    const { id, permissionMode } = await sessions.create({}, bot);
    assert.equal(permissionMode, 'default');
    await sessions.change(id, { permissionMode: 'acceptEdits' });
    assert.equal((await sessions.fork(id, bot)).permissionMode, 'default');
    assert.equal((await sessions.fork(id, ann)).permissionMode, 'acceptEdits');
    assert.equal((await sessions.create({ permissionMode: 'plan' }, bot)).permissionMode, 'plan');

    const nine = { cron: '0 9 * * *', timezone: 'UTC', prompt: 'work' };
    await schedules.create(nine, bot);
    await schedules.create(nine, ann);
    setup.now = Date.parse('2026-11-16T09:00:00Z');
    await schedules.runDue();
    const modes = await Promise.all(
      (await schedules.list()).map(async ({ lastSession = '' }) => (await sessions.get(lastSession)).permissionMode),
    );
    assert.deepEqual(modes, ['default', 'bypassPermissions']);
  });

  test('cannot leave the default directory when the runtime reads files itself', async (t) => {
    const { sessions, home } = await setUp(t);
    const createdIn = async (
      cwd: string,
      agent = 'unrestricted',
      owner: typeof bot | typeof ann = bot,
    ): Promise<string> => (await sessions.create({ agent, cwd }, owner)).cwd;
    assert.equal((await sessions.create({}, bot)).cwd, home);
    assert.equal(await createdIn(join(home, 'project')), join(home, 'project'));
    for (const cwd of ['/', join(home, '..'), join(home, '../home-of-others'), join(home, 'up')])
      await assert.rejects(createdIn(cwd), /is outside; omit "cwd"/, cwd);
    assert.equal(await createdIn('/', 'unrestricted', ann), '/');
    assert.equal(await createdIn('/', 'chat'), '/');
  });
});
