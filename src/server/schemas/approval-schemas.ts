import { z } from '@hono/zod-openapi';
import { decisionSchema, principalSchema } from './call-schemas.ts';
import { effect } from './catalog-schemas.ts';
import { jsonObject, timestamp } from './json-schemas.ts';

export const rememberScope = z.enum(['session', 'arguments', 'tool', 'server']).openapi('RememberScope', {
  description:
    'The scope of a remembered approval: the tool in this session, exactly these arguments, the tool, or its server. Approvals of irreversible tools are remembered only for exactly the same arguments.',
});

const hiddenPart = z
  .object({
    path: z.string().describe('JSON Pointer (RFC 6901) to the value in `arguments` that contains the placeholder.'),
    start: z.int().describe('Position of the placeholder in the string at `path`, in UTF-16 code units.'),
    length: z.int().describe('Number of UTF-16 code units that are not shown.'),
    kind: z
      .enum(['registered', 'pattern', 'key', 'size'])
      .describe(
        '`registered` is a registered secret value. The others only resemble one and can be revealed: `pattern` has the form of a token, `key` is the value of a key such as `password`, `size` is too long to store.',
      ),
    placeholder: z.string().describe('The text at `start` that replaces the part.'),
    inName: z.literal(true).optional().describe('The part is in the name of the property at `path`, not in its value.'),
  })
  .openapi('HiddenPart', { description: 'A part of the arguments that is not shown.' });

export const hiddenParts = z.array(hiddenPart).readonly();

export const hiddenPartsSeen = z
  .enum(['revealed', 'acknowledged'])
  .optional()
  .describe('How the human handled hidden parts that are not registered secret values.');

export const revealedSchema = z
  .object({
    arguments: jsonObject.describe(
      'The arguments that the tool would receive. Only registered secret values are hidden.',
    ),
    hidden: hiddenParts.describe('The registered secret values that `arguments` does not show.'),
  })
  .openapi('RevealedArguments');

export const approvalSchema = z
  .object({
    id: z.string(),
    state: z.enum(['pending', 'approved', 'denied', 'used', 'expired']),
    callId: z.string().describe('The call that first needed the approval.'),
    tool: z.string(),
    server: z.string(),
    effect,
    definitionHash: z.string(),
    principal: principalSchema,
    session: z.string().optional(),
    arguments: jsonObject.describe('The arguments that the tool would receive, without secrets.'),
    hidden: hiddenParts.describe(
      'The parts that `arguments` does not show. Unless all are `registered`, approving needs a reveal by the same human, or `acknowledgeHidden`.',
    ),
    givenArguments: jsonObject
      .optional()
      .describe('The arguments as the caller sent them, when they differ from `arguments`.'),
    argumentsHash: z.string().describe('SHA-256 of the complete arguments in canonical form (RFC 8785).'),
    decision: decisionSchema,
    flags: z.array(z.string()).readonly().optional().describe('Suspicious parts of the tool definition.'),
    note: z.string().optional().describe('An earlier approval of the same call that is no longer valid, and why.'),
    requestedAt: timestamp,
    expiresAt: timestamp,
    caller: z
      .enum(['waiting', 'gone'])
      .optional()
      .describe(
        'Whether a call waits for the answer. When it is `gone`, approving runs nothing now: the approval is used if the same caller makes exactly the same call before `expiresAt`. Present while the approval is pending or approved.',
      ),
    answer: z
      .object({
        by: principalSchema,
        at: timestamp,
        reason: z.string().optional(),
        arguments: jsonObject.optional().describe('The arguments as the human edited them.'),
        rule: z.string().optional().describe('The rule that was created to remember the approval.'),
        notRemembered: z
          .string()
          .optional()
          .describe('Why the approval could not be remembered as requested; it is valid for this call only.'),
        hiddenParts: hiddenPartsSeen,
      })
      .optional(),
    usedBy: z.string().optional().describe('The call that used the approval.'),
  })
  .openapi('Approval', { description: 'A single-use answer of a human to one exact call, or the pending question.' });

const waitingCaller = z
  .object({
    principal: z.string(),
    pending: z.int().describe('The number of its pending questions.'),
  })
  .openapi('WaitingCaller');

export const approvalPageSchema = z
  .object({
    items: z.array(approvalSchema).readonly(),
    total: z.int().describe('The total number on all pages.'),
    next: z.string().optional().describe('The `cursor` of the next page. Absent on the last page.'),
    callers: z
      .array(waitingCaller)
      .readonly()
      .describe('Every principal with a pending question, on any page, whatever the query selects.'),
  })
  .openapi('ApprovalPage');

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
      .describe('The policy rules whose questions it answers, in the version that asked.'),
    by: principalSchema,
    at: timestamp,
    approval: z.string(),
  })
  .openapi('RememberedRule', { description: 'An approval that applies to more than one call.' });

export const previewSchema = z
  .object({
    rule: ruleSchema,
    count: z.int().describe('The number of recorded calls that would have run without a question.'),
    denied: z.int().describe('The number of those calls that a human denied.'),
    examples: z.array(approvalSchema).readonly(),
  })
  .openapi('RememberPreview');

export const approveRequestSchema = z
  .strictObject({
    arguments: jsonObject.optional().describe('Runs the tool with these arguments instead of the original ones.'),
    remember: z
      .union([rememberScope, z.literal('nothing')])
      .optional()
      .describe(
        'If this is not possible (an irreversible tool, a call without a session, edited `arguments`), only this call is approved, and `answer.notRemembered` has the reason.',
      ),
    acknowledgeHidden: z
      .boolean()
      .optional()
      .describe(
        'Approves without seeing hidden parts that are not registered secret values. Not needed after a reveal.',
      ),
  })
  .openapi('ApproveRequest');

export const denyRequestSchema = z
  .strictObject({ reason: z.string().max(1000).optional().describe('Returned to the caller.') })
  .openapi('DenyRequest');
