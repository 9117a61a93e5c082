import { z } from '@hono/zod-openapi';
import { decisionSchema } from './call.ts';
import { jsonObject, jsonValue, moment } from './json-schema.ts';

export const policiesSchema = z
  .object({
    version: z.string().optional().describe('Changes whenever a rule does; absent while there is no policy.'),
    rules: z
      .array(z.object({ rule: jsonValue, at: z.string().optional().describe('Where it stands: `policies.yaml:12`.') }))
      .readonly(),
    code: z.array(z.string()).readonly().describe('The names of the policies in code.'),
  })
  .openapi('Policies', { description: 'The policies in force.' });

const given = {
  rules: z.array(jsonObject).optional().describe('Rules, as in `policies.yaml`.'),
  text: z.string().optional().describe('The text of a `policies.yaml`, in the place of `rules`.'),
};

export const newPoliciesSchema = z.strictObject(given).openapi('NewPolicies');

export const backtestRequestSchema = z
  .strictObject({ ...given, since: moment.optional().describe('Only calls since then are compared.') })
  .openapi('BacktestRequest');

export const backtestSchema = z
  .object({
    version: z.string(),
    calls: z.int().describe('How many calls were decided again.'),
    skipped: z.int().describe('How many were decided by code, which cannot be asked again.'),
    changed: z
      .array(
        z.object({
          callId: z.string(),
          at: moment,
          tool: z.string(),
          sessionId: z.string().optional(),
          before: decisionSchema,
          after: decisionSchema,
        }),
      )
      .readonly(),
  })
  .openapi('Backtest', { description: 'The recorded calls that other rules would have decided otherwise.' });
