import { z } from '@hono/zod-openapi';
import { approvalSchema, hiddenParts, hiddenPartsSeen, rememberScope } from './approval-schemas.ts';
import {
  callErrorSchema,
  contentBlock,
  decisionSchema,
  fileChangeSchema,
  outcome,
  principalSchema,
} from './call-schemas.ts';
import { effect, naming } from './catalog-schemas.ts';
import { jsonObject, jsonValue, timestamp } from './json-schemas.ts';
import { roleSchema } from './token-schemas.ts';

export const conflictSchema = z
  .object({ workspace: z.string(), path: z.string(), reason: z.string() })
  .openapi('UndoConflict', { description: 'A change that was not undone, and why.' });

const entryFields = {
  seq: z.int().describe('The position in the journal.'),
  at: timestamp,
  hash: z.string().describe('The hash that chains the entry to all earlier entries.'),
};

function entrySchema<const Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  description: string,
  shape: Shape,
) {
  return z.object({ ...entryFields, type: z.literal(type), ...shape }).openapi(type, { description });
}

const callReference = { callId: z.string(), sessionId: z.string().optional(), tool: z.string() };

const callFields = {
  ...callReference,
  principal: principalSchema,
  arguments: jsonObject.describe('The arguments that the tool received, without secrets.'),
  givenArguments: jsonObject
    .optional()
    .describe('The arguments as the caller sent them, when defaults, configured values or transforms changed them.'),
  server: z.string().optional(),
  ...naming,
  adapter: z.string().optional(),
  effect: effect.optional(),
  labels: z.array(z.string()).readonly().optional(),
  definitionHash: z.string().optional(),
  ownUndo: z.literal(true).optional().describe('The tool has its own undo function.'),
  machine: z.string().optional().describe('The machine on which an undoable tool ran, and on which it can be undone.'),
  decision: decisionSchema.optional(),
  argumentsHash: z
    .string()
    .optional()
    .describe(
      'SHA-256 of the complete arguments that the tool received, in canonical form (RFC 8785). Absent for reads whose entry contains all arguments.',
    ),
  idempotencyKey: z.string().optional(),
  uncounted: z
    .literal(true)
    .optional()
    .describe('Rules do not count this call, because it led to another call that they count.'),
  observed: z.literal(true).optional().describe('The call bypassed Signalbox and was only observed.'),
  approvalId: z.string().optional().describe('The approval that the call used.'),
  replaces: z.string().optional().describe('The original call, whose arguments a human edited.'),
};

export const settledAs = z.enum(['completed', 'failed']);

const callStarted = entrySchema('CallStarted', 'A call is about to run.', callFields);

const toolInvoked = entrySchema('ToolInvoked', 'A call has ended. There is exactly one entry for every call.', {
  ...callFields,
  outcome,
  durationMs: z.number().nullable().describe('From receipt to end, including the wait for approval.'),
  output: z.string().describe('The result as text, up to 1000 characters.'),
  cached: z.literal(true).optional(),
  error: callErrorSchema.optional(),
  attempts: z.int().optional().describe('The number of attempts, when there was more than one.'),
  costUsd: z.number().optional().describe('The cost of the call as reported by the tool.'),
  settled: z
    .object({ as: settledAs, by: principalSchema, at: timestamp, note: z.string().optional() })
    .optional()
    .describe('The outcome that a human determined for a call with an unknown outcome.'),
  changes: z.array(fileChangeSchema).readonly().optional().describe('The changes in its workspace.'),
  changesTotal: z.int().optional().describe('The total number of changes, when not all are listed.'),
  claimDigest: z.string().optional().describe('The digest of the outcome that is stored for the idempotency key.'),
  recordingDigest: z.string().optional().describe('The digest of the outcome that is stored for replay.'),
});

const undoFields = { ...callReference, principal: callFields.principal };

const undoStarted = entrySchema('UndoStarted', 'A call is about to be undone.', undoFields);

const undone = entrySchema('Undone', 'The result of an undo.', {
  ...undoFields,
  result: z.enum(['undone', 'partly-undone', 'conflict', 'failed']),
  changes: z.int(),
  conflicts: z.array(conflictSchema).readonly(),
  error: z.string().optional(),
});

const serverChanged = entrySchema('ServerChanged', 'A server was added or removed, or its status changed.', {
  server: z.string(),
  status: z.enum(['up', 'down', 'disabled', 'removed']),
  tools: z.int(),
  reason: z.string().optional(),
});

const configurationChanged = entrySchema(
  'ConfigurationChanged',
  'The configuration changed while the server was running.',
  {
    status: z.enum(['applied', 'refused']),
    file: z.string().optional().describe('Absent when the change was made through the API.'),
    by: principalSchema.optional().describe('The principal who made the change through the API.'),
    details: z.array(z.string()).readonly().describe('The changes, or the errors and their positions.'),
  },
);

const contentRead = entrySchema('ContentRead', 'A resource or a prompt of a server was read.', {
  sessionId: z.string().optional(),
  server: z.string(),
  kind: z.enum(['resource', 'prompt']),
  name: z.string().describe('The URI of the resource, or the name of the prompt.'),
  arguments: jsonObject.optional().describe('Without secrets.'),
  principal: principalSchema,
  outcome: z.enum(['completed', 'failed']),
  durationMs: z.number(),
  error: z.string().optional(),
});

const approvalRequested = entrySchema('ApprovalRequested', 'A human is asked about a call.', {
  approvalId: z.string(),
  ...callReference,
  server: z.string(),
  effect,
  definitionHash: z.string(),
  principal: principalSchema,
  arguments: jsonObject.describe('The arguments that the tool would receive, without secrets.'),
  hidden: hiddenParts.optional().describe('The parts that `arguments` does not show.'),
  givenArguments: jsonObject
    .optional()
    .describe('The arguments as the caller sent them, when they differ from `arguments`.'),
  argumentsHash: z.string(),
  decision: decisionSchema,
  note: z.string().optional(),
  expiresAt: timestamp,
  digest: z.string().optional().describe('The digest of the stored question.'),
});

const approvalResolved = entrySchema('ApprovalResolved', 'A human has answered.', {
  approvalId: z.string(),
  ...callReference,
  decision: z.enum(['approved', 'denied']),
  by: principalSchema,
  reason: z.string().optional(),
  arguments: jsonObject.optional().describe('The arguments as the human edited them, without secrets.'),
  remembered: z
    .object({
      rule: z.string(),
      scope: rememberScope,
      digest: z.string().optional().describe('The digest of the stored rule.'),
    })
    .optional(),
  notRemembered: z.string().optional().describe('Why the approval could not be remembered as requested.'),
  hiddenParts: hiddenPartsSeen,
  digest: z.string().optional().describe('The digest of the stored answer.'),
});

const approvalRevealed = entrySchema('ApprovalRevealed', 'A human revealed the hidden parts of a question.', {
  approvalId: z.string(),
  ...callReference,
  by: principalSchema,
});

const ruleRevoked = entrySchema('RuleRevoked', 'A remembered approval was revoked.', {
  rule: z.string(),
  by: principalSchema,
});

const tokenFields = { tokenId: z.string(), role: roleSchema, by: principalSchema };

const tokenCreated = entrySchema('TokenCreated', 'An access token was created.', {
  ...tokenFields,
  name: z.string().optional(),
  profile: z.string().optional(),
  expiresAt: timestamp.optional(),
  digest: z.string().optional().describe('The digest of the stored token.'),
});

const tokenRevoked = entrySchema('TokenRevoked', 'An access token was revoked.', tokenFields);

const authorityChanged = entrySchema(
  'AuthorityChanged',
  'Records that grant access or trust were stored or removed: pinned definitions, accepted locks, sign-in links, browser sessions.',
  {
    change: z
      .enum(['stored', 'removed', 'carried'])
      .describe('`carried`: the entries that recorded them were pruned, or a version wrote none.'),
    records: z
      .array(
        z.object({
          kind: z.enum(['pin', 'lock', 'sign-in', 'sign-in-link', 'token']),
          name: z.string().describe('The name of the server, person or token.'),
          id: z.string(),
          digest: z.string().describe('The digest of the stored record.'),
          isRevoked: z.literal(true).optional(),
        }),
      )
      .readonly(),
    approvals: z
      .array(
        z.object({
          id: z.string(),
          digest: z.string().optional(),
          expiresAt: z.number().optional(),
          answer: z
            .object({ decision: z.string(), digest: z.string().optional(), rule: z.string().optional() })
            .optional(),
          usedBy: z.string().optional(),
        }),
      )
      .readonly()
      .optional()
      .describe('Approvals whose entries were pruned, and that can still take effect.'),
    rules: z
      .array(z.object({ id: z.string(), digest: z.string().optional(), isRevoked: z.literal(true).optional() }))
      .readonly()
      .optional()
      .describe('Remembered rules whose entries were pruned.'),
  },
);

const callSettled = entrySchema('CallSettled', 'A human set the outcome of a call whose outcome was unknown.', {
  ...callReference,
  as: settledAs,
  by: principalSchema,
  note: z.string().optional(),
});

export const callEntrySchema = z.discriminatedUnion('type', [toolInvoked, callStarted]).openapi('CallEntry');

export const journalEntrySchema = z
  .discriminatedUnion('type', [
    callStarted,
    toolInvoked,
    serverChanged,
    configurationChanged,
    contentRead,
    approvalRequested,
    approvalRevealed,
    approvalResolved,
    ruleRevoked,
    callSettled,
    undoStarted,
    undone,
    tokenCreated,
    tokenRevoked,
    authorityChanged,
  ])
  .openapi('JournalEntry');

const undoStandingSchema = z
  .discriminatedUnion('state', [
    z.object({ state: z.literal('ready'), changes: z.array(fileChangeSchema).readonly() }),
    z.object({
      state: z.literal('blocked'),
      reason: z.string(),
      canDoTheRest: z.boolean().describe('Whether an undo with `partial` would undo the rest.'),
      changes: z.array(fileChangeSchema).readonly(),
    }),
    z.object({ state: z.literal('undone') }),
    z.object({ state: z.literal('unavailable'), reason: z.string() }),
  ])
  .openapi('UndoStatus', {
    description: 'Whether a call can be undone, as far as this is known in advance.',
  });

const callDetails = {
  result: z
    .object({ content: z.array(contentBlock).readonly(), structuredContent: jsonValue.optional() })
    .optional()
    .describe('The complete result, when the call was recorded for replay; `output` is its beginning.'),
  keptCharacters: z.int().optional().describe('The length of the complete result, when `/api/results/{id}` serves it.'),
  approval: approvalSchema.optional().describe('The question about the call, or the approval that it used.'),
  undo: undoStandingSchema,
  history: z.array(journalEntrySchema).readonly().describe('Every entry about the call, oldest first.'),
};

export const callDetailsSchema = z
  .discriminatedUnion('type', [
    z
      .object({
        ...toolInvoked.shape,
        ran: z.boolean().describe('Whether the tool ran, or may have run.'),
        waitedMs: z.number().optional().describe('The part of the duration that was spent waiting for a human.'),
        ...callDetails,
      })
      .openapi('EndedCallDetails'),
    z.object({ ...callStarted.shape, ...callDetails }).openapi('RunningCallDetails'),
  ])
  .openapi('CallDetails');

/** The types of journal entries. */
export const entryTypes = journalEntrySchema.options.map(({ shape }) => shape.type.value);

const next = z
  .int()
  .optional()
  .describe('The `before` of the next page, or its `after` when reading oldest first. Absent on the last page.');

const prunedSchema = z
  .object({ seq: z.int().describe('The last pruned entry.'), at: timestamp.describe('When that entry was written.') })
  .optional()
  .describe('Present on the last page when older entries were pruned and moved to archives.');

export const callPageSchema = z
  .object({ items: z.array(callEntrySchema).readonly(), next, pruned: prunedSchema })
  .openapi('CallPage');
export const journalPageSchema = z
  .object({ items: z.array(journalEntrySchema).readonly(), next, pruned: prunedSchema })
  .openapi('JournalPage');
