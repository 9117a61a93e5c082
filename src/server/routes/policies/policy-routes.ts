import { createRoute, z } from '@hono/zod-openapi';
import type { RuleSource } from '../../../pipeline/policies/compile-policies.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { PolicyError } from '../../../policy/rules/policy-error.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { type PolicyChecker, maxRulesBytes, maxProblems } from './policy-checks.ts';
import { Problem } from '../../problems/problem.ts';
import { decisionSchema } from '../../schemas/call-schemas.ts';
import { jsonObject, jsonValue, timestamp } from '../../schemas/json-schemas.ts';
import { type ServedConfiguration, recordChange, requireConfiguration } from '../servers/served-configuration.ts';
import { jsonBody, jsonResponse, problems } from '../../schemas/route-schemas.ts';
import { json } from '../../http/json-response.ts';

const defaultChangedLimit = 1000;
/** Limited, because a backtest compiles the rules on the main thread. */
const maxBacktestBytes = 64 * 1024;

const policiesSchema = z
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

const ruleFields = {
  rules: z.array(jsonObject).optional().describe('Rules, as in `policies.yaml`.'),
  text: z.string().optional().describe('The text of a `policies.yaml`, instead of `rules`.'),
};

const newPoliciesSchema = z
  .strictObject({
    ...ruleFields,
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

const policyCheckRequestSchema = z.strictObject(ruleFields).openapi('PolicyCheckRequest');

const policyCheckSchema = z
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

const backtestRequestSchema = z
  .strictObject({
    ...ruleFields,
    since: timestamp.optional().describe('Compares only calls since this time.'),
    limit: z
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .openapi({ default: 1000, description: 'The maximum number of differing calls to list: the newest.' }),
  })
  .openapi('BacktestRequest');

const backtestSchema = z
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

const activePolicies = jsonResponse('The active policies.', policiesSchema);

const readRoute = createRoute({
  method: 'get',
  path: '/api/policies',
  'x-roles': routeRoles.read,
  tags: ['Policies'],
  summary: 'Get the active policies',
  responses: { 200: activePolicies, ...problems(503) },
});

const changeRoute = createRoute({
  method: 'put',
  path: '/api/policies',
  'x-roles': routeRoles.change,
  tags: ['Policies'],
  summary: 'Replace the active rules',
  description:
    'Activates all rules or none. Policies in code remain. Without `save`, no file is written: the rules apply until those of the configuration change or Signalbox restarts.',
  middleware: readJsonBody(),
  request: { body: jsonBody(newPoliciesSchema) },
  responses: { 200: activePolicies, ...problems(400, 404, 409, 413, 415, 500, 503) },
});

const checkRoute = createRoute({
  method: 'post',
  path: '/api/policies/check',
  'x-roles': routeRoles.read,
  tags: ['Policies'],
  summary: 'Check rules',
  description: `Activates and writes nothing. Returns the first ${maxProblems} errors.`,
  middleware: readJsonBody(maxRulesBytes),
  request: { body: jsonBody(policyCheckRequestSchema) },
  responses: { 200: jsonResponse('The errors, if any.', policyCheckSchema), ...problems(400, 413, 415, 503) },
});

const backtestRoute = createRoute({
  method: 'post',
  path: '/api/policies/backtest',
  'x-roles': routeRoles.read,
  tags: ['Policies'],
  summary: 'Backtest rules on recorded calls',
  description: 'Rules of up to 64 KB; `signalbox policy backtest` takes larger ones.',
  middleware: readJsonBody(maxBacktestBytes),
  request: { body: jsonBody(backtestRequestSchema) },
  responses: {
    200: jsonResponse('The calls with a different decision.', backtestSchema),
    ...problems(400, 413, 415, 503),
  },
});

/** Adds the routes that read, replace, check and backtest policies. */
export function addPolicyRoutes(
  app: ServerApp,
  box: InternalSignalbox,
  configuration: ServedConfiguration | undefined,
  checks: PolicyChecker,
): void {
  const currentPolicies = (): z.output<typeof policiesSchema> => {
    const file = configuration?.policyFile();
    return { ...box.policies.list(), ...(file === undefined ? {} : { file }) };
  };

  app.openapi(readRoute, (context) => json(context, policiesSchema, currentPolicies(), 200));

  app.openapi(changeRoute, async (context) => {
    const { version: before = 'none' } = box.policies.list();
    const { save = false, seen, ...ruleInput } = context.req.valid('json');
    const sources = rulesOf(ruleInput);
    if (save) await requireConfiguration(configuration).savePolicies(textOf(ruleInput), seen);
    else await box.policies.set(sources, { keepCode: true });
    const { version = 'none', rules } = box.policies.list();
    const count = pluralize(rules.length, 'rule');
    recordChange(box, context, `changed the policies: ${count}, version ${version} instead of ${before}`);
    return json(context, policiesSchema, currentPolicies(), 200);
  });

  app.openapi(checkRoute, async (context) =>
    json(context, policyCheckSchema, await checks.check(rulesOf(context.req.valid('json'))), 200),
  );

  app.openapi(backtestRoute, async (context) => {
    const { since, limit = defaultChangedLimit, ...ruleInput } = context.req.valid('json');
    const from = since === undefined ? undefined : Date.parse(since);
    if (Number.isNaN(from))
      throw new Problem('request-invalid', 'body.since: expected a timestamp, as in 2026-11-15T08:30:00Z');
    const { signal } = context.req.raw;
    const rules = rulesOf(ruleInput);
    const { valid, problems: wrong } = await checks.check(rules);
    if (!valid) throw new PolicyError(wrong.map((problem) => ({ file: 'policies', ...problem })));
    const result = await box.policies.backtest(rules, { signal, ...(from === undefined ? {} : { since: from }) });
    const changed = result.changed.slice(-limit);
    return json(context, backtestSchema, { ...result, changedTotal: result.changed.length, changed }, 200);
  });
}

function textOf({ text }: { text?: string | undefined }): string {
  if (text === undefined) throw new Problem('request-invalid', 'body.text: saving requires "text", not "rules"');
  return text;
}

function rulesOf({ rules, text }: { rules?: readonly object[] | undefined; text?: string | undefined }): RuleSource[] {
  if ((rules === undefined) === (text === undefined))
    throw new Problem('request-invalid', 'body: expected either "rules" or "text"');
  return text === undefined ? [...((rules ?? []) as readonly JsonObject[])] : [{ text, file: 'policies' }];
}
