import { z } from '@hono/zod-openapi';
import { decisionSchema } from './call-schemas.ts';
import { jsonObject, jsonValue, timestamp } from './json-schemas.ts';

export const policiesSchema = z
  .object({
    version: z.string().optional().describe('Changes with every rule; absent without a policy.'),
    rules: z
      .array(
        z.object({
          rule: jsonValue,
          at: z.string().optional().describe('The position of the rule: `policies.yaml:12`.'),
        }),
      )
      .readonly(),
    code: z.array(z.string()).readonly().describe('The names of the policies that are defined in code.'),
    file: z
      .object({
        file: z.string(),
        text: z.string().describe('The current text. It is not active when it has errors.'),
        fingerprint: z.string().describe('Changes with the text: send it as `seen`.'),
      })
      .optional()
      .describe('The policy file. Absent without a configuration, or when the configuration contains the rules.'),
  })
  .openapi('Policies', { description: 'The active policies.' });

const ruleInput = {
  rules: z.array(jsonObject).optional().describe('Rules, as in `policies.yaml`.'),
  text: z.string().optional().describe('The text of a `policies.yaml`, instead of `rules`.'),
};

export const newPoliciesSchema = z
  .strictObject({
    ...ruleInput,
    save: z
      .boolean()
      .optional()
      .describe('Writes `text` to the policy file, so that it persists. Requires a configuration.'),
    seen: z
      .string()
      .optional()
      .describe('The fingerprint of the edited file: the request is refused when the file has changed since.'),
  })
  .openapi('NewPolicies');

export const policyCheckRequestSchema = z.strictObject(ruleInput).openapi('PolicyCheckRequest');

export const policyCheckSchema = z
  .object({
    valid: z.boolean(),
    version: z.string().optional().describe('Present when the rules are valid.'),
    rules: z.int(),
    problems: z
      .array(
        z.object({
          line: z.int().describe('Starts at 1; 0 for `rules`.'),
          column: z.int(),
          path: z.string().describe('The position in the document: `[0].deny`.'),
          message: z.string(),
          hint: z.string().optional(),
        }),
      )
      .readonly(),
  })
  .openapi('PolicyCheck', { description: 'All errors in rules, with their positions.' });

export const backtestRequestSchema = z
  .strictObject({
    ...ruleInput,
    since: timestamp.optional().describe('Compares only calls since this time.'),
    limit: z
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .openapi({ default: 1000, description: 'The maximum number of differing calls to list: the newest.' }),
  })
  .openapi('BacktestRequest');

export const backtestSchema = z
  .object({
    version: z.string(),
    calls: z.int().describe('The number of calls that were evaluated.'),
    skipped: z.int().describe('The number of calls that code decided, which cannot be evaluated again.'),
    changedTotal: z.int().describe('The number of calls with a different decision.'),
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
  .openapi('Backtest', { description: 'The recorded calls that the given rules would have decided differently.' });
