/** Runs the jobs of a store for some minutes of a fast clock, and prints the due time of each run that it claimed. */
import { JobScheduler } from '../../src/sessions/schedules/schedules.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

const [file = '', begin = '0', minutes = '0'] = process.argv.slice(2);
const store = sqliteStore({ file });
const { jobs } = store;
let minute = 0;
const claim = jobs.claim.bind(jobs);
jobs.claim = async (job) => {
  const isMine = await claim(job);
  if (isMine) process.stdout.write(`${job.dueAt}\n`);
  return isMine;
};
const schedules = new JobScheduler({
  store: jobs,
  sessions: {
    agents: () => [],
    create: () => Promise.reject(new Error('there are no sessions here')),
    send: () => Promise.reject(new Error('there are no sessions here')),
    get: () => Promise.reject(new Error('there are no sessions here')),
  },
  redact: (text) => text,
  now: () => Number(begin) + minute * 60_000,
});
for (; minute < Number(minutes); minute += 1) {
  await schedules.runDue();
  // Lets the other processes interleave.
  await new Promise((resolve) => setImmediate(resolve));
}
await store.close();
