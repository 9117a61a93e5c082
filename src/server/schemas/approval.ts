import { z } from '@hono/zod-openapi';
import { decisionSchema, principalSchema } from './call.ts';
import { effect } from './catalog.ts';
import { jsonObject, moment } from './json-schema.ts';

export const rememberScope = z.enum(['session', 'arguments', 'tool', 'server']).openapi('RememberScope', {
  description:
    'What an approval is remembered for: the tool in this session, exactly these arguments, the tool, or its server. What cannot be undone is remembered for exactly the same arguments only.',
});

export const approvalSchema = z
  .object({
    id: z.string(),
    state: z.enum(['pending', 'approved', 'denied', 'used', 'expired']),
    callId: z.string().describe('The call that asked first.'),
    tool: z.string(),
    server: z.string(),
    effect,
    definitionHash: z.string(),
    principal: principalSchema,
    session: z.string().optional(),
    arguments: jsonObject.describe('What the tool would run with, without secrets.'),
    givenArguments: jsonObject.optional().describe('As the caller gave them, where the tool would receive others.'),
    argumentsHash: z.string().describe('SHA-256 of the whole arguments in canonical form (RFC 8785).'),
    decision: decisionSchema,
    note: z.string().optional().describe('An approval of the same call that does not hold any more, and why.'),
    requestedAt: moment,
    expiresAt: moment,
    answer: z
      .object({
        by: principalSchema,
        at: moment,
        reason: z.string().optional(),
        arguments: jsonObject.optional().describe('In the human’s version.'),
        rule: z.string().optional().describe('The rule that remembers it.'),
      })
      .optional(),
    usedBy: z.string().optional().describe('The call that ran by it.'),
  })
  .openapi('Approval', { description: 'A human’s single-use answer to one exact call, or the question before.' });

export const ruleSchema = z
  .object({
    id: z.string(),
    scope: rememberScope,
    principal: principalSchema,
    server: z.string(),
    tool: z.string().optional(),
    definitionHash: z.string().optional(),
    session: z.string().optional(),
    arguments: jsonObject.optional(),
    argumentsHash: z.string().optional(),
    answers: z
      .array(z.object({ rule: z.string(), version: z.string().optional() }))
      .readonly()
      .describe('The rules of the policy whose questions it answers, in the version that asked.'),
    by: principalSchema,
    at: moment,
    approval: z.string(),
  })
  .openapi('RememberedRule', { description: 'An approval that holds for more than one call.' });

export const previewSchema = z
  .object({
    rule: ruleSchema,
    count: z.int().describe('How many calls on record would have run without a question.'),
    denied: z.int().describe('How many of these a human refused.'),
    examples: z.array(approvalSchema).readonly(),
  })
  .openapi('RememberPreview');

export const approveRequestSchema = z
  .strictObject({
    arguments: jsonObject.optional().describe('Runs the tool with these in the place of the arguments it asked with.'),
    remember: z
      .union([rememberScope, z.literal('nothing')])
      .optional()
      .describe('Not together with `arguments`: an edited call is approved once.'),
  })
  .openapi('ApproveRequest');

export const denyRequestSchema = z
  .strictObject({ reason: z.string().max(1000).optional().describe('Told to whoever made the call.') })
  .openapi('DenyRequest');
