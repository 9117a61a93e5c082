import { z } from '@hono/zod-openapi';
import { hiddenParts } from './approval-schemas.ts';
import { contentBlock, fileChangeSchema, outcome } from './call-schemas.ts';
import { jsonObject, jsonValue, timestamp } from './json-schemas.ts';
import { elicitationAction, permissionMode, turnReason } from './session-schemas.ts';

const eventFields = {
  seq: z.int().describe('Starts at 1, without gaps.'),
  sessionId: z.string(),
  at: timestamp,
};
const toolCallId = z.string().describe('The id of the call in the model’s output.');
const approvalId = z.string();

function eventSchema<const Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) {
  return z.object({ ...eventFields, type: z.literal(type), ...shape });
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

/** A server asks the user a question. */
export const elicitationRequiredSchema = eventSchema('elicitation_required', {
  toolCallId,
  elicitationId,
  server: z.string().describe('The server that asks.'),
  mode: z
    .enum(['form', 'url', 'sampling'])
    .describe('A form to fill in, a page to open, or permission to send a request to a model.'),
  message: z.string(),
  requestedSchema: jsonObject.optional().describe('For a form: the JSON Schema of `content`.'),
  url: z.string().optional().describe('The page to open. Show the complete URL before opening it.'),
  model: z.string().optional().describe('For sampling: the model that would be used.'),
  request: jsonObject.optional().describe('For sampling: the parameters of `sampling/createMessage`.'),
  expiresAt: timestamp,
}).openapi('ElicitationRequired');

/** An event of a session. */
export const sessionEventSchema = z
  .discriminatedUnion('type', [
    eventSchema('user_message', { turnId: z.string(), content: z.string(), by: z.string() }),
    eventSchema('text_delta', { text: z.string() }),
    eventSchema('thinking_delta', { text: z.string() }),
    eventSchema('tool_call_start', { toolCallId, toolName: z.string(), server: z.string(), tool: z.string() }),
    eventSchema('tool_call_delta', { toolCallId, inputJson: z.string().describe('A part of the input as JSON text.') }),
    eventSchema('tool_call_end', { toolCallId, input: jsonObject }),
    eventSchema('tool_progress', {
      toolCallId,
      progress: z.object({ progress: z.number(), total: z.number().optional(), message: z.string().optional() }),
    }),
    eventSchema('tool_result', {
      toolCallId,
      outcome,
      content: z.array(contentBlock).readonly(),
      durationMs: z.number(),
      callId: z.string().optional().describe('The id of the call in the journal: `/api/calls/{id}`.'),
      changes: z.array(fileChangeSchema).readonly().optional(),
    }),
    eventSchema('approval_required', {
      toolCallId,
      approvalId,
      toolName: z.string(),
      input: jsonObject,
      hidden: hiddenParts.optional().describe('The parts that `input` does not show.'),
      reason: z.string(),
      rule: z.string(),
      expiresAt: timestamp,
    }),
    eventSchema('approval_resolved', {
      toolCallId,
      approvalId,
      decision: z.enum(['approved', 'denied', 'expired']),
      by: z.string(),
      reason: z
        .string()
        .optional()
        .describe('Why the question was withdrawn: the call was cancelled, or the turn or its process ended.'),
    }),
    eventSchema('question_prompt', { toolCallId, questions: z.array(question).readonly() }),
    eventSchema('question_answered', { toolCallId, by: z.string() }),
    elicitationRequiredSchema,
    eventSchema('elicitation_resolved', {
      toolCallId,
      elicitationId,
      action: elicitationAction,
      by: z.string(),
      reason: z
        .string()
        .optional()
        .describe('Why the question was closed without an answer; absent when a person answered.'),
    }),
    eventSchema('sampling_result', {
      toolCallId,
      server: z.string(),
      model: z.string(),
      content: jsonValue.optional().describe('The content that the server received.'),
      error: z.string().optional().describe('Why the model gave no answer.'),
    }),
    eventSchema('session_status', {
      model: z.string().optional(),
      permissionMode,
      servers: z.array(server).readonly(),
      costUsd: z.number().optional(),
      contextTokens: z.number().optional(),
    }),
    eventSchema('error', { code: z.string(), message: z.string() }),
    eventSchema('done', { reason: turnReason }),
  ])
  .openapi('SessionEvent', {
    description:
      'An event of a session. In a stream, `seq` is the `id` of the server-sent event, and `type` is its `event`.',
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

/** The types of session events. */
export const sessionEventTypes = sessionEventSchema.options.map(({ shape }) => shape.type.value);
