import { z } from '@hono/zod-openapi';
import { approveRequestSchema, denyRequestSchema } from './approval-schemas.ts';
import { contentBlock, outcome, principalSchema } from './call-schemas.ts';
import { jsonObject, timestamp } from './json-schemas.ts';

const sessionId = 'sess_1kq2v7m0ea4hy0j8tzw';

export const permissionMode = z
  .enum(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'])
  .openapi('PermissionMode', {
    description:
      'The permission mode of the agent. `default` follows the policy; `acceptEdits` also runs reads and undoable calls that would ask; `plan` denies all calls except reads; `dontAsk` denies calls that would ask; `bypassPermissions` asks only for calls on protected files. A rule that denies applies in every mode.',
  });

export const turnReason = z
  .enum(['end', 'interrupted', 'error', 'limit'])
  .openapi('TurnReason', { description: 'Why a turn ended.' });

export const agentSchema = z
  .object({
    name: z.string().openapi({ example: 'demo' }),
    runtime: z.string().describe('The runtime of its turns: `claude`, `claude-cli` or `model`.'),
    model: z.string().optional(),
    isDefault: z.boolean().describe('The agent of sessions that name none.'),
  })
  .openapi('Agent');

export const sessionSchema = z
  .object({
    id: z.string().openapi({ example: sessionId }),
    agent: z.string(),
    runtime: z.string(),
    model: z.string().optional(),
    title: z.string(),
    cwd: z.string(),
    permissionMode,
    state: z
      .enum(['idle', 'running', 'waiting', 'expired'])
      .describe('`waiting`: a turn waits for a human. `expired`: idle for a long time; the next message resumes it.'),
    owner: principalSchema,
    createdAt: timestamp,
    activeAt: timestamp,
    forkedFrom: z.string().optional(),
    queued: z.int().describe('The number of queued turns.'),
    lastSeq: z.int().describe('The seq of the last event: `events?after=` this value streams only new events.'),
    lastTurn: turnReason.optional(),
  })
  .openapi('Session', { description: 'A conversation with an agent.' });

const title = z.string().openapi({ example: 'Clean up the notes' });

export const newSessionSchema = z
  .strictObject({
    agent: z.string().optional().describe('One of `/api/agents`; the default agent if omitted.'),
    cwd: z.string().optional().describe('The absolute path of the working directory.'),
    permissionMode: permissionMode.optional(),
    title: title.optional(),
  })
  .openapi('NewSession');

export const sessionChangeSchema = z
  .strictObject({ title: title.optional(), permissionMode: permissionMode.optional() })
  .refine((change) => Object.keys(change).length > 0, 'expected a title or a permissionMode')
  .openapi('SessionChange', { description: 'A running turn keeps its permission mode.' });

/** Identifies a resource of a server. */
export const resourceReference = z.strictObject({ server: z.string().min(1), uri: z.string().min(1) });

/** Identifies a prompt of a server, with its arguments. */
export const promptReference = z.strictObject({
  server: z.string().min(1),
  name: z.string().min(1),
  arguments: z.record(z.string(), z.string()).optional(),
});

export const messageSchema = z
  .strictObject({
    content: z.string().optional().openapi({ example: 'ping the server' }),
    prompt: promptReference.optional().describe('A prompt of a server, which precedes the content.'),
    resources: z.array(resourceReference).max(20).optional().describe('Resources of servers to attach to the message.'),
    idempotencyKey: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('A message with the same key within a day starts no second turn, at any replica.'),
  })
  .refine(({ content, prompt }) => content !== undefined || prompt !== undefined, {
    message: 'a message needs "content" or a "prompt"',
    path: ['content'],
  })
  .openapi('NewMessage');

export const sentSchema = z
  .object({
    turnId: z.string(),
    afterSeq: z.int().describe('The events of the turn have a greater seq.'),
    position: z.int().describe('The number of turns before it in the queue.'),
    redacted: z
      .literal(true)
      .optional()
      .describe(
        'The message contained registered secrets, which were replaced with `[redacted:NAME]` before storage and for the model.',
      ),
  })
  .openapi('SentMessage');

const transcriptPart = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['text', 'thinking']), text: z.string() }),
  z.object({
    type: z.literal('tool_call'),
    toolCallId: z.string(),
    toolName: z.string(),
    input: jsonObject,
    result: z
      .object({
        outcome: outcome.optional().describe('Absent when the transcript does not contain it.'),
        isError: z.boolean(),
        content: z.array(contentBlock).readonly(),
        durationMs: z.number().optional(),
      })
      .optional()
      .describe('Absent until the call has ended.'),
  }),
]);

export const transcriptSchema = z
  .object({
    items: z
      .array(
        z
          .object({
            id: z.string(),
            role: z.enum(['user', 'assistant']),
            at: timestamp,
            content: z.array(transcriptPart).readonly(),
          })
          .openapi('TranscriptMessage'),
      )
      .readonly(),
    before: z.string().optional().describe('Send it as `before` to read earlier messages. Absent when there are none.'),
  })
  .openapi('Transcript', { description: 'Oldest first.' });

const toolCallId = z.string().min(1).describe('The id of the call in the model’s output, as in the events.');

const pendingCall = {
  toolCallId,
  approvalId: z
    .string()
    .optional()
    .describe('The approval that was shown. Recommended; required when the model uses one id for several calls.'),
};

export const approveCallSchema = approveRequestSchema.extend(pendingCall).openapi('ApproveCallRequest');
export const denyCallSchema = denyRequestSchema.extend(pendingCall).openapi('DenyCallRequest');

export const answersSchema = z
  .strictObject({
    toolCallId,
    answers: jsonObject.openapi({ description: 'Answers by question.', example: { 'Which color?': 'Blue' } }),
  })
  .openapi('SubmitAnswersRequest');

export const elicitationAction = z
  .enum(['accept', 'decline', 'cancel'])
  .describe(
    '`accept` (with `content` for a form), `decline` (an explicit refusal) or `cancel` (dismissed without an answer).',
  );

export const elicitationAnswerSchema = z
  .strictObject({
    elicitationId: z.string().min(1).describe('The id in `elicitation_required`.'),
    action: elicitationAction,
    content: jsonObject.optional().openapi({
      description: 'The values of a form, valid for its `requestedSchema`. Only with `accept`.',
      example: { name: 'Ada' },
    }),
  })
  .openapi('AnswerElicitationRequest');

export const interruptionSchema = z
  .object({ interrupted: z.boolean().describe('Whether a turn was running or queued.') })
  .openapi('Interruption');
