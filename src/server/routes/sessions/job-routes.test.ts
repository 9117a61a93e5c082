import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { adminToken, bodyOf, startTestServer } from '../../../../test/support/http/http-server.ts';
import { openSessionFixture } from '../../../../test/support/sessions/session-fixture.ts';
import type { Job } from '../../../sessions/schedules/job.ts';
import { JobScheduler } from '../../../sessions/schedules/schedules.ts';
import type { ProblemDocument } from '../../problems/problem.ts';

describe('/api/jobs', () => {
  it('creates, lists, runs and deletes jobs for admins, and refuses schedules that never run', async (test) => {
    const { box, sessions, close } = await openSessionFixture();
    test.after(() => close());
    const schedules = new JobScheduler({ store: box.jobStore, sessions, redact: (text) => text });
    test.after(() => schedules.close());
    const { send, get } = await startTestServer(test, { box, sessions, schedules });
    const list = async (): Promise<readonly Job[]> => (await bodyOf<{ items: Job[] }>(get('/api/jobs'))).items;
    assert.deepEqual(await list(), []);
    const created = await send(adminToken, 'POST', '/api/jobs', { cron: '0 9 * * 1-5', prompt: 'ping the server' });
    const job = await bodyOf<Job>(created);
    assert.deepEqual([created.status, job.cron, job.owner.id], [201, '0 9 * * 1-5', 'token:admin']);
    assert.deepEqual(await list(), [job]);
    for (const [body, code] of [
      [{ cron: '0 0 30 2 *', prompt: 'x' }, 'job-invalid'],
      [{ cron: 'now', prompt: 'x' }, 'job-invalid'],
      [{ cron: '* * * * *', prompt: 'x', agent: 'nobody' }, 'agent-unknown'],
      [{ cron: '* * * * *' }, 'request-invalid'],
    ] as const)
      assert.equal((await bodyOf<ProblemDocument>(send(adminToken, 'POST', '/api/jobs', body))).code, code);
    const ran = await bodyOf<Job>(send(adminToken, 'POST', `/api/jobs/${job.id}/run`, {}));
    assert.match(ran.lastSession ?? '', /./);
    assert.deepEqual([ran.lastError, ran.nextAt], [undefined, job.nextAt], 'the schedule does not change');
    assert.equal((await send(adminToken, 'POST', '/api/jobs/none/run', {})).status, 404);
    assert.equal((await send(adminToken, 'DELETE', `/api/jobs/${job.id}`)).status, 204);
    assert.equal((await send(adminToken, 'DELETE', `/api/jobs/${job.id}`)).status, 404);
    assert.deepEqual(await list(), []);
  });

  it('returns 404 on a server without schedules', async (test) => {
    const { get } = await startTestServer(test);
    assert.equal((await get('/api/jobs')).status, 404);
  });
});
