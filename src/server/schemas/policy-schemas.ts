import { z } from '@hono/zod-openapi';
import { decisionSchema } from './call-schemas.ts';
import { jsonObject, jsonValue, timestamp } from './json-schemas.ts';

export const policiesSchema = z
  .object({
    version: z.string().optional().describe('Changes whenever a rule does; absent while there is no policy.'),
    rules: z
      .array(z.object({ rule: jsonValue, at: z.string().optional().describe('Where it stands: `policies.yaml:12`.') }))
      .readonly(),
    code: z.array(z.string()).readonly().describe('The names of the policies in code.'),
    file: z
      .object({
        file: z.string(),
        text: z.string().describe('As it is now, which is not in force when it has a mistake.'),
        fingerprint: z.string().describe('Changes with the text: give it as `seen`.'),
      })
      .optional()
      .describe(
        'The file of rules. Absent without a configuration, or when the rules stand in the configuration itself.',
      ),
  })
  .openapi('Policies', { description: 'The policies in force.' });

const given = {
  rules: z.array(jsonObject).optional().describe('Rules, as in `policies.yaml`.'),
  text: z.string().optional().describe('The text of a `policies.yaml`, in the place of `rules`.'),
};

export const newPoliciesSchema = z
  .strictObject({
    ...given,
    save: z
      .boolean()
      .optional()
      .describe('Writes `text` into the file of rules, so that it stays in force. Takes a configuration.'),
    seen: z
      .string()
      .optional()
      .describe('The fingerprint of the file you changed: it is written only if it is still like that.'),
  })
  .openapi('NewPolicies');

export const policyCheckRequestSchema = z.strictObject(given).openapi('PolicyCheckRequest');

export const policyCheckSchema = z
  .object({
    valid: z.boolean(),
    version: z.string().optional().describe('Present when they could be used.'),
    rules: z.int(),
    problems: z
      .array(
        z.object({
          line: z.int().describe('Counted from 1; 0 where there is no text.'),
          column: z.int(),
          path: z.string().describe('Where in the document, as in `[0].deny`.'),
          message: z.string(),
          hint: z.string().optional(),
        }),
      )
      .readonly(),
  })
  .openapi('PolicyCheck', { description: 'Everything that is wrong with rules, and where.' });

export const backtestRequestSchema = z
  .strictObject({
    ...given,
    since: timestamp.optional().describe('Only calls since then are compared.'),
    limit: z
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .openapi({ default: 1000, description: 'How many that differ are listed: the newest.' }),
  })
  .openapi('BacktestRequest');

export const backtestSchema = z
  .object({
    version: z.string(),
    calls: z.int().describe('How many calls were decided again.'),
    skipped: z.int().describe('How many were decided by code, which cannot be asked again.'),
    changedTotal: z.int().describe('How many differ.'),
    changed: z
      .array(
        z.object({
          callId: z.string(),
          at: timestamp,
          tool: z.string(),
          sessionId: z.string().optional(),
          before: decisionSchema,
          after: decisionSchema,
        }),
      )
      .readonly(),
  })
  .openapi('Backtest', { description: 'The recorded calls that other rules would have decided otherwise.' });
