import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSessionLookup, createSessionDescription } from '../../../../test/support/sessions/session-lookup.ts';
import { SignalboxError } from '../../../core/errors.ts';
import type { CallId } from '../../../core/identifiers.ts';
import type { Principal } from '../../../core/principal.ts';
import {
  type JobLookup,
  type JobDescription,
  createJob,
  deleteJob,
  listJobs,
  undoCreateJob,
  undoDeleteJob,
} from './job-tools.ts';

const ada: Principal = { id: 'ada', kind: 'human' };
const callId = 'call_1' as CallId;
const inside = { principal: { id: 'ada/claude', kind: 'agent' }, session: 's1', callId } as const;
const bob = { principal: { id: 'bob', kind: 'agent' }, session: undefined, callId: 'call_2' as CallId } as const;

/** Creates a job store in memory. */
function memoryJobs(): JobLookup {
  const jobs = new Map<string, JobDescription>();
  const deleted = new Map<string, JobDescription>();
  const take = (from: Map<string, JobDescription>, id: string): JobDescription => {
    const job = from.get(id);
    if (job === undefined) throw new SignalboxError('job-unknown', `there is no job ${id}`);
    return job;
  };
  const move = (from: Map<string, JobDescription>, to: Map<string, JobDescription>, id: string): void => {
    to.set(id, take(from, id));
    from.delete(id);
  };
  return {
    async create(request, owner, id) {
      const job = { ...request, id, owner, createdAt: 'now', nextAt: 'soon' };
      jobs.set(id, job);
      return job;
    },
    list: async ({ owner }) => [...jobs.values()].filter((job) => owner === undefined || job.owner.id === owner),
    get: async (id) => take(jobs, id),
    delete: async (id) => move(jobs, deleted, id),
    restore: async (id) => move(deleted, jobs, id),
  };
}

const createDependencies = () => ({
  jobs: memoryJobs(),
  sessions: createSessionLookup([createSessionDescription('s1', ada)]),
});
const nine = { cron: '0 9 * * *', prompt: 'Good morning' };

describe('createJob', () => {
  test('creates a job for the owner of the session, with agent and directory of the session by default', async () => {
    const dependencies = createDependencies();
    const created = { ...nine, id: 'job_1', createdAt: 'now', nextAt: 'soon', owner: 'ada' };
    assert.deepEqual(await createJob(dependencies, nine, inside), { ...created, agent: 'claude', cwd: '/srv' });
    const given = { agent: 'gpt', cwd: '/tmp', timezone: 'UTC' };
    assert.deepEqual(await createJob(dependencies, { ...nine, ...given }, inside), { ...created, ...given });
    assert.deepEqual((await dependencies.jobs.get('job_1')).owner, ada, 'its sessions belong to the owner');
    const { owner, agent } = await createJob(dependencies, nine, bob);
    assert.deepEqual([owner, agent], ['bob', undefined]);
  });

  test('rejects another agent for a caller with a profile, since that agent may have more tools', async () => {
    const dependencies = createDependencies();
    const bound = (caller: typeof inside | typeof bob, more: object = {}) =>
      createJob(dependencies, { ...nine, ...more }, { ...caller, profile: 'narrow' });
    await assert.rejects(bound(bob), { code: 'job-invalid' });
    await assert.rejects(bound(bob, { agent: 'claude' }), /a caller with a profile \(narrow\)/);
    await assert.rejects(bound(inside, { agent: 'wide' }), { code: 'job-invalid' });
    assert.equal((await bound(inside)).agent, 'claude');
    assert.equal((await listJobs(dependencies, inside)).jobs.length, 1);
  });

  test('is undone by the id of the call, without an error when there is nothing to undo', async () => {
    const dependencies = createDependencies();
    await createJob(dependencies, nine, inside);
    await undoCreateJob(dependencies, callId);
    await undoCreateJob(dependencies, callId);
    assert.deepEqual(await listJobs(dependencies, inside), { jobs: [] });
  });
});

describe('listJobs', () => {
  test('returns the jobs of the caller, and all jobs to humans', async () => {
    const dependencies = createDependencies();
    await createJob(dependencies, nine, inside);
    await createJob(dependencies, nine, bob);
    const owners = async (caller: typeof inside | typeof bob | { principal: Principal; session: undefined }) =>
      (await listJobs(dependencies, caller)).jobs.map(({ owner }) => owner);
    assert.deepEqual(await owners(inside), ['ada']);
    assert.deepEqual(await owners(bob), ['bob']);
    assert.deepEqual(await owners({ principal: ada, session: undefined }), ['ada', 'bob']);
  });
});

describe('deleteJob', () => {
  test('deletes a job of the caller, and its undo restores it', async () => {
    const dependencies = createDependencies();
    await createJob(dependencies, nine, inside);
    await undoDeleteJob(dependencies, { id: 'job_1' });
    assert.deepEqual(await deleteJob(dependencies, { id: 'job_1' }, inside), { deleted: 'job_1' });
    assert.deepEqual(await listJobs(dependencies, inside), { jobs: [] });
    await undoDeleteJob(dependencies, { id: 'job_1' });
    assert.equal((await listJobs(dependencies, inside)).jobs.length, 1);
  });

  test('rejects jobs of others and unknown jobs with the same message, and deletes nothing', async () => {
    const dependencies = createDependencies();
    await createJob(dependencies, nine, inside);
    const rejectionOf = async (id: string): Promise<string> => {
      const error: unknown = await deleteJob(dependencies, { id }, bob).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof Error);
      return error.message.replace(id, 'ID');
    };
    assert.equal(await rejectionOf('job_1'), await rejectionOf('job_9'));
    assert.equal((await listJobs(dependencies, inside)).jobs.length, 1);
  });
});
