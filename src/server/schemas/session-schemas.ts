import { z } from '@hono/zod-openapi';
import { approveRequestSchema, denyRequestSchema } from './approval-schemas.ts';
import { contentBlock, outcome, principalSchema } from './call-schemas.ts';
import { jsonObject, timestamp } from './json-schemas.ts';

const sessionId = 'sess_1kq2v7m0ea4hy0j8tzw';

export const permissionMode = z
  .enum(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'])
  .openapi('PermissionMode', {
    description:
      'How freely the agent may act. `default` asks by policy; `acceptEdits` asks only for what cannot be undone; `plan` only reads; `dontAsk` denies what would ask; `bypassPermissions` asks nothing. What a rule denies is denied in all of them.',
  });

export const turnReason = z
  .enum(['end', 'interrupted', 'error', 'limit'])
  .openapi('TurnReason', { description: 'Why a turn ended.' });

export const agentSchema = z
  .object({
    name: z.string().openapi({ example: 'demo' }),
    runtime: z.string().describe('What drives its turns: `claude`, `claude-cli` or `model`.'),
    model: z.string().optional(),
    isDefault: z.boolean().describe('It is the agent of sessions that name none.'),
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
      .describe('`waiting`: for a human, in a turn. `expired`: idle for long; the next message takes it up again.'),
    owner: principalSchema,
    createdAt: timestamp,
    activeAt: timestamp,
    forkedFrom: z.string().optional(),
    queued: z.int().describe('Turns that wait for the one that runs.'),
    lastSeq: z.int().describe('The last event: `events?after=` this tells only what comes.'),
    lastTurn: turnReason.optional(),
  })
  .openapi('Session', { description: 'One conversation with an agent.' });

const title = z.string().openapi({ example: 'Clean up the notes' });

export const newSessionSchema = z
  .strictObject({
    agent: z.string().optional().describe('One of `/api/agents`; the default one when left out.'),
    cwd: z.string().optional().describe('The working directory, absolute.'),
    permissionMode: permissionMode.optional(),
    title: title.optional(),
  })
  .openapi('NewSession');

export const sessionChangeSchema = z
  .strictObject({ title: title.optional(), permissionMode: permissionMode.optional() })
  .refine((change) => Object.keys(change).length > 0, 'give a title or a permissionMode')
  .openapi('SessionChange', { description: 'A turn that runs goes on as it began.' });

/** A resource of a server. */
export const resourceReference = z.strictObject({ server: z.string().min(1), uri: z.string().min(1) });

/** A prompt of a server, and what it is filled in with. */
export const promptReference = z.strictObject({
  server: z.string().min(1),
  name: z.string().min(1),
  arguments: z.record(z.string(), z.string()).optional(),
});

export const messageSchema = z
  .strictObject({
    content: z.string().optional().openapi({ example: 'ping the server' }),
    prompt: promptReference.optional().describe('A prompt of a server, which comes before the content.'),
    resources: z
      .array(resourceReference)
      .max(20)
      .optional()
      .describe('Resources of servers that the agent is given with the message.'),
    idempotencyKey: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe(
        'A message that comes again with the same key within a day begins no second turn, at whichever server of the store.',
      ),
  })
  .refine(({ content, prompt }) => content !== undefined || prompt !== undefined, {
    message: 'a message needs "content" or a "prompt"',
    path: ['content'],
  })
  .openapi('NewMessage');

export const sentSchema = z
  .object({
    turnId: z.string(),
    afterSeq: z.int().describe('Events of the turn have a greater seq.'),
    position: z.int().describe('Turns before it.'),
    redacted: z
      .literal(true)
      .optional()
      .describe('Registered secrets were in it. Neither is kept nor given to the model; `[redacted:NAME]` is.'),
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
        outcome: outcome.optional().describe('Absent where the transcript does not tell.'),
        isError: z.boolean(),
        content: z.array(contentBlock).readonly(),
        durationMs: z.number().optional(),
      })
      .optional()
      .describe('Absent until there is one.'),
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
    before: z.string().optional().describe('There are earlier messages: give it as `before` to read them.'),
  })
  .openapi('Transcript', { description: 'Oldest first.' });

const toolCallId = z.string().min(1).describe('The model’s id of the call, as the events name it.');

const meant = {
  toolCallId,
  approvalId: z
    .string()
    .optional()
    .describe(
      'The approval that was shown. Some models give several calls one id: then it must be there, and it is safer always.',
    ),
};

export const approveCallSchema = approveRequestSchema.extend(meant).openapi('ApproveCallRequest');
export const denyCallSchema = denyRequestSchema.extend(meant).openapi('DenyCallRequest');

export const answersSchema = z
  .strictObject({
    toolCallId,
    answers: jsonObject.openapi({ description: 'By question.', example: { 'Which colour?': 'Blue' } }),
  })
  .openapi('SubmitAnswersRequest');

export const elicitationAction = z
  .enum(['accept', 'decline', 'cancel'])
  .describe('`accept` with `content` for a form; `decline`: an explicit no; `cancel`: dismissed without an answer.');

export const elicitationAnswerSchema = z
  .strictObject({
    elicitationId: z.string().min(1).describe('As `elicitation_required` names it.'),
    action: elicitationAction,
    content: jsonObject.optional().openapi({
      description: 'The values of a form; must fit its `requestedSchema`. Only with `accept`.',
      example: { name: 'Ada' },
    }),
  })
  .openapi('AnswerElicitationRequest');

export const interruptionSchema = z
  .object({ interrupted: z.boolean().describe('False when nothing ran and nothing waited.') })
  .openapi('Interruption');
