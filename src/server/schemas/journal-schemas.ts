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
  .openapi('UndoConflict', { description: 'What was left as it is, and why.' });

const recorded = {
  seq: z.int().describe('Its place in the journal.'),
  at: timestamp,
  hash: z.string().describe('Links it to all entries before it.'),
};

const callFacts = {
  callId: z.string(),
  sessionId: z.string().optional(),
  tool: z.string(),
  principal: principalSchema,
  arguments: jsonObject.describe('What the tool received, without secrets.'),
  givenArguments: jsonObject
    .optional()
    .describe('As the caller gave them, where defaults, configured values or transforms made others of them.'),
  server: z.string().optional(),
  ...naming,
  adapter: z.string().optional(),
  effect: effect.optional(),
  labels: z.array(z.string()).readonly().optional(),
  definitionHash: z.string().optional(),
  ownUndo: z.literal(true).optional().describe('The tool had an undo function of its own.'),
  machine: z
    .string()
    .optional()
    .describe('The machine it ran on, of a tool that can be undone: it can be taken back there.'),
  decision: decisionSchema.optional(),
  argumentsHash: z
    .string()
    .optional()
    .describe(
      'SHA-256 of the whole arguments that the tool ran with, in canonical form (RFC 8785). Absent for reads whose entry contains them whole.',
    ),
  idempotencyKey: z.string().optional(),
  uncounted: z.literal(true).optional().describe('Rules do not count it: it led to another call that they count.'),
  observed: z.literal(true).optional().describe('The call went past Signalbox and was only seen.'),
  approvalId: z.string().optional().describe('The approval it ran by.'),
  replaces: z.string().optional().describe('The call whose arguments a human edited into this one.'),
};

export const settledAs = z.enum(['completed', 'failed']);

const callStarted = z
  .object({ ...recorded, ...callFacts, type: z.literal('CallStarted') })
  .openapi('CallStarted', { description: 'A call is about to run.' });

const toolInvoked = z
  .object({
    ...recorded,
    ...callFacts,
    type: z.literal('ToolInvoked'),
    outcome,
    durationMs: z.number().nullable().describe('From its coming in to its end, answers of humans included.'),
    output: z.string().describe('The result as a person would read it, at most 1000 characters.'),
    cached: z.literal(true).optional(),
    error: callErrorSchema.optional(),
    attempts: z.int().optional().describe('How often it was tried, when that was more than once.'),
    costUsd: z.number().optional().describe('What the tool says the call cost.'),
    settled: z
      .object({ as: settledAs, by: principalSchema, at: timestamp, note: z.string().optional() })
      .optional()
      .describe('What a human found out about a call whose outcome was unknown.'),
    changes: z.array(fileChangeSchema).readonly().optional().describe('What it changed in its workspace.'),
    changesTotal: z.int().optional().describe('How many there were, when not all are listed.'),
    claimDigest: z.string().optional().describe('Of the outcome as it is stored for its idempotency key.'),
    recordingDigest: z.string().optional().describe('Of the outcome as it is stored for replay.'),
  })
  .openapi('ToolInvoked', { description: 'A call has ended; there is exactly one for every call.' });

const undoFacts = {
  ...recorded,
  callId: z.string(),
  sessionId: z.string().optional(),
  tool: z.string(),
  principal: callFacts.principal,
};

const undoStarted = z
  .object({ ...undoFacts, type: z.literal('UndoStarted') })
  .openapi('UndoStarted', { description: 'A call is about to be taken back.' });

const undone = z
  .object({
    ...undoFacts,
    type: z.literal('Undone'),
    result: z.enum(['undone', 'partly-undone', 'conflict', 'failed']),
    changes: z.int(),
    conflicts: z.array(conflictSchema).readonly(),
    error: z.string().optional(),
  })
  .openapi('Undone', { description: 'A call was taken back, or not.' });

const serverChanged = z
  .object({
    ...recorded,
    type: z.literal('ServerChanged'),
    server: z.string(),
    status: z.enum(['up', 'down', 'disabled', 'removed']),
    tools: z.int(),
    reason: z.string().optional(),
  })
  .openapi('ServerChanged', { description: 'A server came, went, or changed how it is.' });

const configurationChanged = z
  .object({
    ...recorded,
    type: z.literal('ConfigurationChanged'),
    status: z.enum(['applied', 'refused']),
    file: z.string().optional().describe('Absent when it was changed through the API.'),
    by: principalSchema.optional().describe('Who changed it through the API.'),
    details: z.array(z.string()).readonly().describe('What was done, or what is wrong and where.'),
  })
  .openapi('ConfigurationChanged', { description: 'The configuration was changed while the server ran.' });

const contentRead = z
  .object({
    ...recorded,
    type: z.literal('ContentRead'),
    sessionId: z.string().optional(),
    server: z.string(),
    kind: z.enum(['resource', 'prompt']),
    name: z.string().describe('The resource’s address, or the prompt’s name.'),
    arguments: jsonObject.optional().describe('Without secrets.'),
    principal: principalSchema,
    outcome: z.enum(['completed', 'failed']),
    durationMs: z.number(),
    error: z.string().optional(),
  })
  .openapi('ContentRead', { description: 'Somebody read a resource or a prompt of a server.' });

const approvalRequested = z
  .object({
    ...recorded,
    type: z.literal('ApprovalRequested'),
    approvalId: z.string(),
    callId: z.string(),
    sessionId: z.string().optional(),
    tool: z.string(),
    server: z.string(),
    effect,
    definitionHash: z.string(),
    principal: principalSchema,
    arguments: jsonObject.describe('What the tool would receive, without secrets.'),
    hidden: hiddenParts.optional().describe('The parts that `arguments` does not show.'),
    givenArguments: jsonObject.optional().describe('As the caller gave them, where the tool would receive others.'),
    argumentsHash: z.string(),
    decision: decisionSchema,
    note: z.string().optional(),
    expiresAt: timestamp,
    digest: z.string().optional().describe('Of the question as it is stored.'),
  })
  .openapi('ApprovalRequested', { description: 'A human is asked about a call.' });

const approvalResolved = z
  .object({
    ...recorded,
    type: z.literal('ApprovalResolved'),
    approvalId: z.string(),
    callId: z.string(),
    sessionId: z.string().optional(),
    tool: z.string(),
    decision: z.enum(['approved', 'denied']),
    by: principalSchema,
    reason: z.string().optional(),
    arguments: jsonObject.optional().describe('In the human’s version, without secrets.'),
    remembered: z.object({ rule: z.string(), scope: rememberScope }).optional(),
    notRemembered: z.string().optional().describe('Why it could not be remembered as the human asked.'),
    hiddenParts: hiddenPartsSeen,
    digest: z.string().optional().describe('Of the answer as it is stored.'),
  })
  .openapi('ApprovalResolved', { description: 'A human has answered.' });

const approvalRevealed = z
  .object({
    ...recorded,
    type: z.literal('ApprovalRevealed'),
    approvalId: z.string(),
    callId: z.string(),
    sessionId: z.string().optional(),
    tool: z.string(),
    by: principalSchema,
  })
  .openapi('ApprovalRevealed', { description: 'A human has seen the hidden parts of a question.' });

const ruleRevoked = z
  .object({ ...recorded, type: z.literal('RuleRevoked'), rule: z.string(), by: principalSchema })
  .openapi('RuleRevoked', { description: 'A remembered approval holds no longer.' });

const tokenFacts = { ...recorded, tokenId: z.string(), role: roleSchema, by: principalSchema };

const tokenCreated = z
  .object({
    ...tokenFacts,
    type: z.literal('TokenCreated'),
    name: z.string().optional(),
    profile: z.string().optional(),
    expiresAt: timestamp.optional(),
    digest: z.string().optional().describe('Of the token as it is stored.'),
  })
  .openapi('TokenCreated', { description: 'An access token was made.' });

const tokenRevoked = z
  .object({ ...tokenFacts, type: z.literal('TokenRevoked') })
  .openapi('TokenRevoked', { description: 'An access token is good no longer.' });

const authorityChanged = z
  .object({
    ...recorded,
    type: z.literal('AuthorityChanged'),
    change: z
      .enum(['stored', 'removed', 'carried'])
      .describe('`carried`: the entries that accounted for them were pruned, or are of a version that wrote none.'),
    records: z
      .array(
        z.object({
          kind: z.enum(['pin', 'lock', 'sign-in', 'sign-in-link', 'token']),
          name: z.string().describe('The server, the person or the token.'),
          id: z.string(),
          digest: z.string().describe('Of the record as it is stored.'),
          isRevoked: z.literal(true).optional(),
        }),
      )
      .readonly(),
  })
  .openapi('AuthorityChanged', {
    description:
      'Records that decide what is allowed were stored or removed: pinned definitions, accepted locks, sign-in links, signed-in browsers.',
  });

const callSettled = z
  .object({
    ...recorded,
    type: z.literal('CallSettled'),
    callId: z.string(),
    sessionId: z.string().optional(),
    tool: z.string(),
    as: settledAs,
    by: principalSchema,
    note: z.string().optional(),
  })
  .openapi('CallSettled', { description: 'A human has said how a call ended whose outcome was unknown.' });

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
      canDoTheRest: z.boolean().describe('Whether an undo with `partial` would take back the rest.'),
      changes: z.array(fileChangeSchema).readonly(),
    }),
    z.object({ state: z.literal('undone') }),
    z.object({ state: z.literal('unavailable'), reason: z.string() }),
  ])
  .openapi('UndoStanding', {
    description: 'Whether a call can be taken back, as far as that is known without trying.',
  });

const callDetails = {
  result: z
    .object({ content: z.array(contentBlock).readonly(), structuredContent: jsonValue.optional() })
    .optional()
    .describe('The whole result, where the call was recorded for replay; `output` is the beginning of it.'),
  keptCharacters: z.int().optional().describe('Length of the whole result, where `/api/results/{id}` has it.'),
  approval: approvalSchema.optional().describe('The question that was asked about it, or the approval it ran by.'),
  undo: undoStandingSchema,
  history: z.array(journalEntrySchema).readonly().describe('Every entry about it, oldest first.'),
};

export const callDetailsSchema = z
  .discriminatedUnion('type', [
    z
      .object({
        ...toolInvoked.shape,
        ran: z.boolean().describe('Whether the tool was run, or may have been. False for a call that ended before.'),
        waitedMs: z.number().optional().describe('How much of its duration it waited for the answer of a human.'),
        ...callDetails,
      })
      .openapi('EndedCallDetails'),
    z.object({ ...callStarted.shape, ...callDetails }).openapi('RunningCallDetails'),
  ])
  .openapi('CallDetails');

/** The names of journal entries. */
export const entryTypes = journalEntrySchema.options.map(({ shape }) => shape.type.value);

const next = z
  .int()
  .optional()
  .describe('Where the following page begins: give it as `before`, or as `after` when reading oldest first.');

const prunedSchema = z
  .object({ seq: z.int().describe('The last entry that went.'), at: timestamp.describe('When that was made.') })
  .optional()
  .describe('Present on the last page when older entries were pruned from the journal: they are in its archives.');

export const callPageSchema = z
  .object({ items: z.array(callEntrySchema).readonly(), next, pruned: prunedSchema })
  .openapi('CallPage');
export const journalPageSchema = z
  .object({ items: z.array(journalEntrySchema).readonly(), next, pruned: prunedSchema })
  .openapi('JournalPage');
