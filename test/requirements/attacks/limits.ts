import type { Section } from '../requirement.ts';

const processes = (name: string) =>
  `test/attacks/limits.test.ts > limits and flow shared by several processes > ${name}` as const;
const outputs = (name: string) =>
  `test/attacks/limits.test.ts > output text beyond the part that the journal records > ${name}` as const;

/** Limits and flow over processes and restarts (H26–H29). */
export const limits: Section<'H'> = {
  H26: {
    promise:
      'a budget by arguments and a rate limit are exact over all processes on one SQLite file or PostgreSQL, for reads too',
    tests: [
      processes('a budget allows exactly the calls that fit, on one SQLite file'),
      processes('a budget allows exactly the calls that fit, on one PostgreSQL database'),
      processes('budget and rate limit hold for several processes of signalbox stdio'),
      'src/store/sqlite/sqlite-store.test.ts > Store (SQLite file) > `ownSince` is undefined when another process may have written',
    ],
  },
  H27: {
    promise:
      'a flow rule recognises whole outputs, of up to 256 KB, after a restart, from a backup or a copy, and in other processes with the same key; their fingerprints are stored encrypted, in bounded space',
    tests: [
      outputs('is recognized by flow rules after a restart, and stored only as encrypted fingerprints'),
      outputs('is recognized at once by another process on the same SQLite file'),
      outputs('is recognized by replicas on PostgreSQL that share a key, also after a restart'),
      outputs('is recognized from a backup, and from a copy to PostgreSQL'),
      outputs('takes bounded space for each principal'),
      processes('a flow rule knows what other processes read and sent, on one SQLite file'),
    ],
  },
  H28: {
    promise:
      'fingerprints of an output take work in proportion to its size, also of texts that were composed to be slow, and any part of 24 letters and digits is found',
    tests: [
      'src/policy/facts/fingerprints.test.ts > fingerprints of outputs > recognize any part of 24 letters and digits, whatever separates them',
      'src/policy/facts/fingerprints.test.ts > fingerprints of outputs > recognize every part of an output of 256 KB, and of the previous output',
      'src/policy/facts/fingerprints.test.ts > fingerprints of outputs > take a bounded number of probes to add, however many there are and however they are chosen',
    ],
  },
  H29: {
    promise:
      'a call counts once: its cost is evaluated once for all meters, and reading a resource in a model session is one call for limits',
    tests: [
      'src/policy/policy.test.ts > the cost of a call is evaluated once for session and principal, also when the call begins',
      'src/runtimes/model/tools/content-tools.test.ts > resources and prompts in a model session > count as one call for rate limits, also when read from the journal',
    ],
  },
};
