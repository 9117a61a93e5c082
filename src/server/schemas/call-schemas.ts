import { z } from '@hono/zod-openapi';
import { type CallErrorCode, callErrorCodes } from '../../core/errors.ts';
import { jsonObject, jsonValue } from './json-schemas.ts';

export const outcome = z
  .enum(['completed', 'failed', 'denied', 'awaiting-approval', 'timed-out', 'cancelled', 'stale', 'unknown'])
  .openapi('Outcome', { description: 'How a call ended.' });

const said = { answer: z.enum(['allow', 'ask', 'deny']), rule: z.string(), reason: z.string() };

const place = z.string().optional().describe('Where the rule stands: `policies.yaml:12`.');
const ruleVersion = z.string().optional();

export const decisionSchema = z
  .object({
    ...said,
    at: place,
    version: ruleVersion.describe('Changes with the text of the rule. Present where a written rule asks.'),
    asks: z
      .array(z.object({ rule: z.string(), reason: z.string(), at: place, version: ruleVersion }))
      .readonly()
      .optional()
      .describe('Every rule that asks, the one that is named first. Present when there is more than one.'),
    values: jsonObject.optional().describe('What the rule looked at, without secrets.'),
    policy: z.string().optional().describe('The version of the policy that decided.'),
    ruled: z
      .object(said)
      .optional()
      .describe(
        'What the rules said, where a permission mode, a remembered approval or the guard of protected files decided in their place.',
      ),
    protectedFiles: z
      .array(z.string())
      .readonly()
      .optional()
      .describe('The protected or closed files that the call names, links followed.'),
    protectedRoles: z
      .record(z.string(), z.string())
      .readonly()
      .optional()
      .describe('Why each of `protectedFiles` is protected, by its path.'),
    shadow: z.array(z.object(said)).readonly().optional().describe('What rules in shadow mode would have said.'),
  })
  .openapi('Decision', { description: 'What policy said, by which rule, and why.' });

export const principalSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['human', 'agent', 'system']),
    name: z.string().optional().describe('What people call it. Several may have the same name; ids differ.'),
  })
  .openapi('Principal', { description: 'Who is asking. Humans may approve, agents may not.' });

export const callErrorSchema = z
  .object({
    code: z.enum(Object.keys(callErrorCodes) as CallErrorCode[]),
    message: z.string(),
    rpc: z
      .object({ code: z.number(), data: jsonValue.optional() })
      .optional()
      .describe('The JSON-RPC error by which an MCP server answered the call; its message is `message`.'),
  })
  .openapi('CallError', { description: 'Why a call did not complete.' });

const aside = { annotations: jsonObject.optional(), _meta: jsonObject.optional() };

export const contentBlock = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: z.string(), ...aside }),
    z.object({ type: z.enum(['image', 'audio']), data: z.string(), mimeType: z.string(), ...aside }),
    z.object({ type: z.literal('resource'), resource: jsonObject, ...aside }),
    z.object({
      type: z.literal('resource_link'),
      uri: z.string(),
      name: z.string(),
      description: z.string().optional(),
      mimeType: z.string().optional(),
      size: z.number().optional(),
      ...aside,
    }),
  ])
  .openapi('ContentBlock', { description: 'A block of a result, in the shape MCP gives it.' });

export const callRequestSchema = z
  .strictObject({
    arguments: z
      .unknown()
      .optional()
      .openapi({ type: 'object', description: 'What the tool is called with; `{}` when left out.' }),
    idempotencyKey: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('Calls with the same key run once; the others get the first one’s outcome.'),
    sessionId: z.string().min(1).max(256).optional().describe('The session the call belongs to.'),
    definitionHash: z
      .string()
      .optional()
      .describe('The definition you saw; the call is `stale` when the tool is another one now.'),
    waitSeconds: z.number().min(0).max(86_400).optional().openapi({
      default: 60,
      description:
        'How long to wait for a human’s approval before the answer is `awaiting-approval`; with an event stream, until the question expires.',
    }),
    timeoutSeconds: z.number().positive().max(86_400).optional().describe('How long the whole call may take.'),
    elicitation: z
      .boolean()
      .optional()
      .describe('With an event stream: questions of the tool are answered at `/api/call-questions/{id}`.'),
  })
  .openapi('CallRequest');

export const fileChangeSchema = z
  .object({
    workspace: z.string().optional(),
    path: z.string(),
    kind: z.enum(['added', 'modified', 'deleted']),
    diff: z.string().optional().describe('A unified diff, for text that is not too long.'),
    note: z.string().optional(),
  })
  .openapi('FileChange', { description: 'One thing a call changed in its workspace.' });

export const callResultSchema = z
  .object({
    callId: z.string(),
    tool: z.string(),
    outcome,
    content: z.array(contentBlock).readonly(),
    structuredContent: jsonValue.optional(),
    _meta: jsonObject.optional().describe('The `_meta` of the result, as the server sent it.'),
    fields: jsonObject.optional().describe('Fields of the result that Signalbox does not know.'),
    error: callErrorSchema.optional().describe('Present unless the call completed.'),
    approvalId: z.string().optional().describe('What is awaited, when an approval is.'),
    durationMs: z.number(),
    costUsd: z.number().optional().describe('What the tool says the call cost.'),
    decision: decisionSchema.optional().describe('Absent when the call ended before policy was asked.'),
    changes: z.array(fileChangeSchema).readonly().optional().describe('Absent where nobody looks.'),
    cached: z.literal(true).optional().describe('The result is one that was given out before; the tool did not run.'),
  })
  .openapi('CallResult');

export const callEventSchema = z.object({}).catchall(jsonValue).openapi('CallEvent', {
  description:
    'The `data` of an event: first `started` (its id), then `progress`, `log`, `approval` (a human is asked about this call) and `approval-closed`, `elicitation` (the tool asks) and `elicitation-closed`, and last `result` (a `CallResult`) or `problem`.',
});

export const elicitationAnswerSchema = z
  .discriminatedUnion('action', [
    z.strictObject({ action: z.literal('accept'), content: jsonObject.optional() }),
    z.strictObject({ action: z.enum(['decline', 'cancel']) }),
  ])
  .openapi('ElicitationAnswer');
