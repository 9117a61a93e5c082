import { z } from '@hono/zod-openapi';
import { type CallErrorCode, callErrorCodes } from '../../core/errors.ts';
import { jsonObject, jsonValue } from './json-schemas.ts';

export const outcome = z
  .enum(['completed', 'failed', 'denied', 'awaiting-approval', 'timed-out', 'cancelled', 'stale', 'unknown'])
  .openapi('Outcome', { description: 'How a call ended.' });

const decisionFields = { answer: z.enum(['allow', 'ask', 'deny']), rule: z.string(), reason: z.string() };

const rulePosition = z.string().optional().describe('The position of the rule: `policies.yaml:12`.');
const ruleVersion = z.string().optional();

export const decisionSchema = z
  .object({
    ...decisionFields,
    at: rulePosition,
    version: ruleVersion.describe('Changes with the text of the rule. Present when a rule of a policy file asks.'),
    asks: z
      .array(z.object({ rule: z.string(), reason: z.string(), at: rulePosition, version: ruleVersion }))
      .readonly()
      .optional()
      .describe('Every rule that asks, beginning with `rule`. Present when there is more than one.'),
    values: jsonObject.optional().describe('The values that the rule evaluated, without secrets.'),
    policy: z.string().optional().describe('The version of the policy that decided.'),
    ruled: z
      .object(decisionFields)
      .optional()
      .describe(
        'The decision of the rules, when a permission mode, a remembered approval or the protection of files overrode it.',
      ),
    protectedFiles: z
      .array(z.string())
      .readonly()
      .optional()
      .describe('The protected or inaccessible files that the call names, with links resolved.'),
    protectedRoles: z
      .record(z.string(), z.string())
      .readonly()
      .optional()
      .describe('Why each of `protectedFiles` is protected, by its path.'),
    shadow: z.array(z.object(decisionFields)).readonly().optional().describe('The decisions of rules in shadow mode.'),
  })
  .openapi('Decision', { description: 'The decision of the policy, its rule and its reason.' });

export const principalSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['human', 'agent', 'system']),
    name: z.string().optional().describe('A display name. It is not unique; `id` is.'),
  })
  .openapi('Principal', { description: 'The caller. Humans may approve, agents may not.' });

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

const contentMetadata = { annotations: jsonObject.optional(), _meta: jsonObject.optional() };

export const contentBlock = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: z.string(), ...contentMetadata }),
    z.object({ type: z.enum(['image', 'audio']), data: z.string(), mimeType: z.string(), ...contentMetadata }),
    z.object({ type: z.literal('resource'), resource: jsonObject, ...contentMetadata }),
    z.object({
      type: z.literal('resource_link'),
      uri: z.string(),
      name: z.string(),
      description: z.string().optional(),
      mimeType: z.string().optional(),
      size: z.number().optional(),
      ...contentMetadata,
    }),
  ])
  .openapi('ContentBlock', { description: 'A content block of a result, as defined by MCP.' });

export const callRequestSchema = z
  .strictObject({
    arguments: z
      .unknown()
      .optional()
      .openapi({ type: 'object', description: 'The arguments of the tool; `{}` by default.' }),
    idempotencyKey: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('Calls with the same key run once; later ones get the outcome of the first.'),
    sessionId: z.string().min(1).max(256).optional().describe('The session of the call.'),
    definitionHash: z
      .string()
      .optional()
      .describe('The expected definition; the call is `stale` when the definition has changed.'),
    waitSeconds: z.number().min(0).max(86_400).optional().openapi({
      default: 60,
      description:
        'How long to wait for a human’s approval before the outcome is `awaiting-approval`. With an event stream, the default is until the question expires.',
    }),
    timeoutSeconds: z.number().positive().max(86_400).optional().describe('The time limit of the whole call.'),
    elicitation: z
      .boolean()
      .optional()
      .describe('With an event stream: the caller answers questions of the tool at `/api/call-questions/{id}`.'),
  })
  .openapi('CallRequest');

export const fileChangeSchema = z
  .object({
    workspace: z.string().optional(),
    path: z.string(),
    kind: z.enum(['added', 'modified', 'deleted']),
    diff: z.string().optional().describe('A unified diff, for text files up to a size limit.'),
    note: z.string().optional(),
  })
  .openapi('FileChange', { description: 'A file that a call changed in its workspace.' });

export const callResultSchema = z
  .object({
    callId: z.string(),
    tool: z.string(),
    outcome,
    content: z.array(contentBlock).readonly(),
    structuredContent: jsonValue.optional(),
    _meta: jsonObject.optional().describe('The `_meta` of the result, as the server sent it.'),
    fields: jsonObject.optional().describe('Unknown fields of the result.'),
    error: callErrorSchema.optional().describe('Present unless the call completed.'),
    approvalId: z.string().optional().describe('The pending approval, with the outcome `awaiting-approval`.'),
    durationMs: z.number(),
    costUsd: z.number().optional().describe('The cost of the call as reported by the tool.'),
    decision: decisionSchema.optional().describe('Absent when the call ended before the policy was evaluated.'),
    changes: z.array(fileChangeSchema).readonly().optional().describe('Absent when the workspace is not tracked.'),
    cached: z.literal(true).optional().describe('The result of an earlier call; the tool did not run.'),
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
