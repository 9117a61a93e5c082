import { openSignalbox } from '../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { ann, says } from '../../test/support/sessions/session-place.ts';
import { runtimeTools } from '../runtimes/runtime-tools.ts';
import type { Agent } from './agent.ts';
import { createSessions } from './create-sessions.ts';
import { Schedules } from './schedules/schedules.ts';
import type { Sessions } from './sessions.ts';

const bot = { id: 'token:tok_1', kind: 'agent' } as const;

interface Place {
  readonly sessions: Sessions;
  readonly schedules: Schedules;
  readonly home: string;
  /** The time of the schedules' clock. */
  now: number;
}

/** Sessions with an agent that has full access to `home`, and a similar agent that is only a model. */
async function place(t: TestContext): Promise<Place> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-choices-')));
  const home = join(directory, 'home');
  mkdirSync(join(home, 'project'), { recursive: true });
  mkdirSync(join(directory, 'home-of-others'));
  symlinkSync(directory, join(home, 'up'));
  const own = runtimeTools('claude');
  const box = await openSignalbox({ data: join(directory, 'data'), servers: [own] });
  const agent = (name: string, runtime: string): Agent => ({
    name,
    runtime: { name: runtime, turn: () => says('done'), close: () => Promise.resolve() },
    runtimeTools: own,
    cwd: home,
    permissionMode: 'bypassPermissions',
  });
  const all = [agent('wild', 'claude'), agent('chat', 'model')];
  const sessions = await createSessions({ box, agents: { defaultName: 'wild', list: () => all } });
  const made: Place = {
    sessions,
    schedules: new Schedules({ store: box.jobStore, sessions, redact: (text) => text, now: () => made.now }),
    home,
    now: Date.parse('2026-11-16T08:30:00Z'),
  };
  t.after(async () => {
    await made.schedules.close();
    await sessions.close({ graceMs: 0 });
    await box.close({ graceMs: 0 });
    rmSync(directory, { recursive: true });
  });
  return made;
}

describe('what an agent chooses', () => {
  test('is never freer than policy alone: not by a configured agent, a fork or a job', async (t) => {
    const made = await place(t);
    const { sessions, schedules } = made;
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
    made.now = Date.parse('2026-11-16T09:00:00Z');
    await schedules.runDue();
    const modes = await Promise.all(
      (await schedules.list()).map(async ({ lastSession = '' }) => (await sessions.get(lastSession)).permissionMode),
    );
    assert.deepEqual(modes, ['default', 'bypassPermissions']);
  });

  test('cannot be outside the default directory where the runtime reads files itself', async (t) => {
    const { sessions, home } = await place(t);
    const where = async (cwd: string, agent = 'wild', owner: typeof bot | typeof ann = bot): Promise<string> =>
      (await sessions.create({ agent, cwd }, owner)).cwd;
    assert.equal((await sessions.create({}, bot)).cwd, home);
    assert.equal(await where(join(home, 'project')), join(home, 'project'));
    for (const cwd of ['/', join(home, '..'), join(home, '../home-of-others'), join(home, 'up')])
      await assert.rejects(where(cwd), /is outside; omit "cwd"/, cwd);
    assert.equal(await where('/', 'wild', ann), '/');
    assert.equal(await where('/', 'chat'), '/');
  });
});
