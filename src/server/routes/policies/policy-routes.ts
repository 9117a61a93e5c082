import { createRoute, type z } from '@hono/zod-openapi';
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
import {
  backtestRequestSchema,
  backtestSchema,
  newPoliciesSchema,
  policiesSchema,
  policyCheckRequestSchema,
  policyCheckSchema,
} from '../../schemas/policy-schemas.ts';
import { type ServedConfiguration, requireConfiguration } from '../servers/served-configuration.ts';
import { problems } from '../../schemas/problem-schemas.ts';
import { json } from '../../http/json-response.ts';

const defaultChangedLimit = 1000;
/** Limited, because a backtest compiles the rules on the main thread. */
const maxBacktestBytes = 64 * 1024;

const activePolicies = {
  description: 'The active policies.',
  content: { 'application/json': { schema: policiesSchema } },
};

const readRoute = createRoute({
  method: 'get',
  path: '/api/policies',
  'x-roles': routeRoles.read,
  tags: ['Policies'],
  summary: 'Get the active policies',
  responses: { 200: activePolicies, ...problems(503) },
});

/** Adds the routes that read, replace, check and backtest policies. */
export function addPolicyRoutes(
  app: ServerApp,
  box: InternalSignalbox,
  configuration: ServedConfiguration | undefined,
  checks: PolicyChecker,
  maxBodyBytes: number,
): void {
  const changeRoute = createRoute({
    method: 'put',
    path: '/api/policies',
    'x-roles': routeRoles.change,
    tags: ['Policies'],
    summary: 'Replace the active rules',
    description:
      'Activates all rules or none. Policies in code remain. Without `save`, no file is written: the rules apply until those of the configuration change or Signalbox restarts.',
    middleware: readJsonBody(maxBodyBytes),
    request: { body: { content: { 'application/json': { schema: newPoliciesSchema } } } },
    responses: { 200: activePolicies, ...problems(400, 404, 409, 413, 415, 500, 503) },
  });
  const checkRoute = createRoute({
    method: 'post',
    path: '/api/policies/check',
    'x-roles': routeRoles.read,
    tags: ['Policies'],
    summary: 'Check rules',
    description: `Activates and writes nothing. Returns the first ${maxProblems} errors.`,
    middleware: readJsonBody(Math.min(maxBodyBytes, maxRulesBytes)),
    request: { body: { content: { 'application/json': { schema: policyCheckRequestSchema } } } },
    responses: {
      200: {
        description: 'The errors, if any.',
        content: { 'application/json': { schema: policyCheckSchema } },
      },
      ...problems(400, 413, 415, 503),
    },
  });
  const backtestRoute = createRoute({
    method: 'post',
    path: '/api/policies/backtest',
    'x-roles': routeRoles.read,
    tags: ['Policies'],
    summary: 'Backtest rules on recorded calls',
    description: 'Rules of up to 64 KB; `signalbox policy backtest` takes larger ones.',
    middleware: readJsonBody(Math.min(maxBodyBytes, maxBacktestBytes)),
    request: { body: { content: { 'application/json': { schema: backtestRequestSchema } } } },
    responses: {
      200: {
        description: 'The calls with a different decision.',
        content: { 'application/json': { schema: backtestSchema } },
      },
      ...problems(400, 413, 415, 503),
    },
  });

  const currentPolicies = (): z.output<typeof policiesSchema> => {
    const file = configuration?.policyFile();
    return { ...box.policies.list(), ...(file === undefined ? {} : { file }) };
  };

  app.openapi(readRoute, (context) => json(context, policiesSchema, currentPolicies(), 200));

  app.openapi(changeRoute, async (context) => {
    const by = context.var.principal;
    const { version: before = 'none' } = box.policies.list();
    const { save = false, seen, ...ruleInput } = context.req.valid('json');
    const sources = rulesOf(ruleInput);
    if (save) await requireConfiguration(configuration).savePolicies(textOf(ruleInput), seen);
    else await box.policies.set(sources, { keepCode: true });
    const { version = 'none', rules } = box.policies.list();
    const details = [
      `changed the policies: ${pluralize(rules.length, 'rule')}, version ${version} instead of ${before}`,
    ];
    box.recordConfiguration({ status: 'applied', by, details });
    return json(context, policiesSchema, currentPolicies(), 200);
  });

  app.openapi(checkRoute, async (context) => {
    return json(context, policyCheckSchema, await checks.check(rulesOf(context.req.valid('json'))), 200);
  });

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
