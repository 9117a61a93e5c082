import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSessionLookup, createSessionDescription } from '../../../../test/support/session-lookup.ts';
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

/** A job store in memory. */
function jobBook(): JobLookup {
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

const house = () => ({ jobs: jobBook(), sessions: createSessionLookup([createSessionDescription('s1', ada)]) });
const nine = { cron: '0 9 * * *', prompt: 'Good morning' };

describe('create_job', () => {
  test('makes a job for the owner of the session, with its agent and directory unless told otherwise', async () => {
    const dependencies = house();
    const made = { ...nine, id: 'job_1', createdAt: 'now', nextAt: 'soon', owner: 'ada' };
    assert.deepEqual(await createJob(dependencies, nine, inside), { ...made, agent: 'claude', cwd: '/srv' });
    const given = { agent: 'gpt', cwd: '/tmp', timezone: 'UTC' };
    assert.deepEqual(await createJob(dependencies, { ...nine, ...given }, inside), { ...made, ...given });
    assert.deepEqual((await dependencies.jobs.get('job_1')).owner, ada, 'its sessions belong to whom it was made for');
    const { owner, agent } = await createJob(dependencies, nine, bob);
    assert.deepEqual([owner, agent], ['bob', undefined]);
  });

  test('gives nobody who is bound to a profile an agent that may see more', async () => {
    const dependencies = house();
    const bound = (caller: typeof inside | typeof bob, more: object = {}) =>
      createJob(dependencies, { ...nine, ...more }, { ...caller, profile: 'narrow' });
    await assert.rejects(bound(bob), { code: 'job-invalid' });
    await assert.rejects(bound(bob, { agent: 'claude' }), /a caller with a profile \(narrow\)/);
    await assert.rejects(bound(inside, { agent: 'wide' }), { code: 'job-invalid' });
    assert.equal((await bound(inside)).agent, 'claude');
    assert.equal((await listJobs(dependencies, inside)).jobs.length, 1);
  });

  test('is undone by the id of the call, and quietly when there is nothing to undo', async () => {
    const dependencies = house();
    await createJob(dependencies, nine, inside);
    await undoCreateJob(dependencies, callId);
    await undoCreateJob(dependencies, callId);
    assert.deepEqual(await listJobs(dependencies, inside), { jobs: [] });
  });
});

describe('list_jobs', () => {
  test('lists the caller’s own, and to humans all', async () => {
    const dependencies = house();
    await createJob(dependencies, nine, inside);
    await createJob(dependencies, nine, bob);
    const owners = async (caller: typeof inside | typeof bob | { principal: Principal; session: undefined }) =>
      (await listJobs(dependencies, caller)).jobs.map(({ owner }) => owner);
    assert.deepEqual(await owners(inside), ['ada']);
    assert.deepEqual(await owners(bob), ['bob']);
    assert.deepEqual(await owners({ principal: ada, session: undefined }), ['ada', 'bob']);
  });
});

describe('delete_job', () => {
  test('deletes one of the caller’s own, and its undo brings it back', async () => {
    const dependencies = house();
    await createJob(dependencies, nine, inside);
    await undoDeleteJob(dependencies, { id: 'job_1' });
    assert.deepEqual(await deleteJob(dependencies, { id: 'job_1' }, inside), { deleted: 'job_1' });
    assert.deepEqual(await listJobs(dependencies, inside), { jobs: [] });
    await undoDeleteJob(dependencies, { id: 'job_1' });
    assert.equal((await listJobs(dependencies, inside)).jobs.length, 1);
  });

  test('refuses another’s in the same words as one that is not there, and leaves it', async () => {
    const dependencies = house();
    await createJob(dependencies, nine, inside);
    const refusal = async (id: string): Promise<string> => {
      const error: unknown = await deleteJob(dependencies, { id }, bob).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof Error);
      return error.message.replace(id, 'ID');
    };
    assert.equal(await refusal('job_1'), await refusal('job_9'));
    assert.equal((await listJobs(dependencies, inside)).jobs.length, 1);
  });
});
