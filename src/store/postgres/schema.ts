import { approvalSchema } from './approval-table.ts';
import { copySchema } from './copy-progress.ts';
import { jobSchema } from './job-table.ts';
import { journalSchema } from './journal-schema.ts';
import { keptSchema } from './kept-table.ts';
import { noteSchema } from './notices.ts';
import { beginningSchema } from './pruned-journal.ts';
import { resultSchema } from './result-table.ts';
import { sealSchema } from './seal-table.ts';
import { sessionSchema } from './session-table.ts';
import { tokenSchema } from './token-table.ts';

/** What brings a database from each version to the next; the last version is the number of steps. */
export const schemaSteps: readonly string[] = [
  [
    journalSchema,
    resultSchema,
    approvalSchema,
    sessionSchema,
    tokenSchema,
    jobSchema,
    noteSchema,
    keptSchema,
    copySchema,
    beginningSchema,
  ].join('\n'),
  sealSchema,
];
