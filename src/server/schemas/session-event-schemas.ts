import { z } from '@hono/zod-openapi';
import { hiddenParts } from './approval-schemas.ts';
import { contentBlock, fileChangeSchema, outcome } from './call-schemas.ts';
import { jsonObject, jsonValue, timestamp } from './json-schemas.ts';
import { elicitationAction, permissionMode, turnReason } from './session-schemas.ts';

const told = {
  seq: z.int().describe('Counts from 1 without gaps.'),
  sessionId: z.string(),
  at: timestamp,
};
const toolCallId = z.string().describe('The model’s id of the call.');
const approvalId = z.string();

function happening<const Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) {
  return z.object({ ...told, type: z.literal(type), ...shape });
}

const question = z.object({
  question: z.string(),
  header: z.string().optional(),
  options: z.array(z.object({ label: z.string(), description: z.string().optional() })).readonly(),
  multiSelect: z.boolean().optional(),
});

const server = z.object({
  name: z.string(),
  status: z.string().describe('`up`, `down`, `disabled`, `starting` or `needs-sign-in`.'),
  tools: z.int(),
  error: z.string().optional(),
});

const elicitationId = z.string();

/** A question of a server to the user. */
export const elicitationRequiredSchema = happening('elicitation_required', {
  toolCallId,
  elicitationId,
  server: z.string().describe('The server that asks.'),
  mode: z
    .enum(['form', 'url', 'sampling'])
    .describe('A form to fill in, a page to open, or permission to send a request to a model.'),
  message: z.string(),
  requestedSchema: jsonObject.optional().describe('Of a form: the JSON Schema of `content`.'),
  url: z.string().optional().describe('The page to open. Show it in full before opening it.'),
  model: z.string().optional().describe('Of sampling: the model that would answer.'),
  request: jsonObject.optional().describe('Of sampling: the parameters of `sampling/createMessage`.'),
  expiresAt: timestamp,
}).openapi('ElicitationRequired');

/** What happens in a session. */
export const sessionEventSchema = z
  .discriminatedUnion('type', [
    happening('user_message', { turnId: z.string(), content: z.string(), by: z.string() }),
    happening('text_delta', { text: z.string() }),
    happening('thinking_delta', { text: z.string() }),
    happening('tool_call_start', { toolCallId, toolName: z.string(), server: z.string(), tool: z.string() }),
    happening('tool_call_delta', { toolCallId, inputJson: z.string().describe('A piece of the input as JSON text.') }),
    happening('tool_call_end', { toolCallId, input: jsonObject }),
    happening('tool_progress', {
      toolCallId,
      progress: z.object({ progress: z.number(), total: z.number().optional(), message: z.string().optional() }),
    }),
    happening('tool_result', {
      toolCallId,
      outcome,
      content: z.array(contentBlock).readonly(),
      durationMs: z.number(),
      callId: z.string().optional().describe('The call as the journal has it: `/api/calls/{id}`.'),
      changes: z.array(fileChangeSchema).readonly().optional(),
    }),
    happening('approval_required', {
      toolCallId,
      approvalId,
      toolName: z.string(),
      input: jsonObject,
      hidden: hiddenParts.optional().describe('The parts that `input` does not show.'),
      reason: z.string(),
      rule: z.string(),
      expiresAt: timestamp,
    }),
    happening('approval_resolved', {
      toolCallId,
      approvalId,
      decision: z.enum(['approved', 'denied', 'expired']),
      by: z.string(),
      reason: z
        .string()
        .optional()
        .describe('Why nobody needs an answer any more: the call was cancelled, or the turn or its process ended.'),
    }),
    happening('question_prompt', { toolCallId, questions: z.array(question).readonly() }),
    happening('question_answered', { toolCallId, by: z.string() }),
    elicitationRequiredSchema,
    happening('elicitation_resolved', {
      toolCallId,
      elicitationId,
      action: elicitationAction,
      by: z.string(),
      reason: z
        .string()
        .optional()
        .describe('Why the question was closed without an answer; absent when a person answered.'),
    }),
    happening('sampling_result', {
      toolCallId,
      server: z.string(),
      model: z.string(),
      content: jsonValue.optional().describe('The content that the server received.'),
      error: z.string().optional().describe('Why the model gave no answer.'),
    }),
    happening('session_status', {
      model: z.string().optional(),
      permissionMode,
      servers: z.array(server).readonly(),
      costUsd: z.number().optional(),
      contextTokens: z.number().optional(),
    }),
    happening('error', { code: z.string(), message: z.string() }),
    happening('done', { reason: turnReason }),
  ])
  .openapi('SessionEvent', {
    description:
      'What happens in a session. On the wire its `seq` is the `id` of the message, and its `type` the `event`.',
    example: {
      seq: 4,
      sessionId: 'sess_1kq2v7m0ea4hy0j8tzw',
      at: '2026-11-15T08:30:00.000Z',
      type: 'tool_call_start',
      toolCallId: 'call_1',
      toolName: 'mcp__signalbox__ping',
      server: 'signalbox',
      tool: 'ping',
    },
  });

/** The names of session events. */
export const sessionEventTypes = sessionEventSchema.options.map(({ shape }) => shape.type.value);
