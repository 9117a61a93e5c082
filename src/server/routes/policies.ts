import { createRoute } from '@hono/zod-openapi';
import type { RuleSource } from '../../call/policy-source.ts';
import { counted } from '../../model/counted.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Signalbox } from '../../signalbox.ts';
import { may } from '../access/may.ts';
import type { ServerApp } from '../environment.ts';
import { readJsonBody } from '../json-body.ts';
import { Problem } from '../problems/problem.ts';
import { backtestRequestSchema, backtestSchema, newPoliciesSchema, policiesSchema } from '../schemas/policies.ts';
import { problems } from '../schemas/problem.ts';
import { json } from '../typed-json.ts';

const inForce = { description: 'The policies in force.', content: { 'application/json': { schema: policiesSchema } } };

const readRoute = createRoute({
  method: 'get',
  path: '/api/policies',
  'x-roles': may.read,
  tags: ['Policies'],
  summary: 'The rules that decide calls',
  responses: { 200: inForce, ...problems(503) },
});

/** The policies in force, other ones, and what other ones would have said. */
export function policyRoutes(app: ServerApp, box: Signalbox, maxBodyBytes: number): void {
  const changeRoute = createRoute({
    method: 'put',
    path: '/api/policies',
    'x-roles': may.change,
    tags: ['Policies'],
    summary: 'Put other rules into force',
    description:
      'All or none. Policies in code stay. Holds until the rules of the configuration change or Signalbox is started again: no file is written.',
    middleware: readJsonBody(maxBodyBytes),
    request: { body: { content: { 'application/json': { schema: newPoliciesSchema } } } },
    responses: { 200: inForce, ...problems(400, 413, 415, 503) },
  });
  const backtestRoute = createRoute({
    method: 'post',
    path: '/api/policies/backtest',
    'x-roles': may.read,
    tags: ['Policies'],
    summary: 'Which recorded calls other rules would have decided otherwise',
    middleware: readJsonBody(maxBodyBytes),
    request: { body: { content: { 'application/json': { schema: backtestRequestSchema } } } },
    responses: {
      200: { description: 'What differs.', content: { 'application/json': { schema: backtestSchema } } },
      ...problems(400, 413, 415, 503),
    },
  });

  app.openapi(readRoute, (context) => json(context, policiesSchema, box.policies(), 200));

  app.openapi(changeRoute, async (context) => {
    const by = context.var.principal;
    const { version: before = 'none' } = box.policies();
    await box.setPolicies(rulesOf(context.req.valid('json')), { keepCode: true });
    const { version = 'none', rules } = box.policies();
    const details = [
      `changed the policies: ${counted(rules.length, 'rule')}, version ${version} in the place of ${before}`,
    ];
    box.recordConfiguration({ status: 'applied', by, details });
    return json(context, policiesSchema, box.policies(), 200);
  });

  app.openapi(backtestRoute, async (context) => {
    const { since, ...given } = context.req.valid('json');
    const from = since === undefined ? undefined : Date.parse(since);
    if (Number.isNaN(from))
      throw new Problem('request-invalid', 'body.since: expected a moment, as in 2026-11-15T08:30:00Z');
    const { signal } = context.req.raw;
    const result = await box.backtest(rulesOf(given), { signal, ...(from === undefined ? {} : { since: from }) });
    return json(context, backtestSchema, result, 200);
  });
}

function rulesOf({ rules, text }: { rules?: readonly object[] | undefined; text?: string | undefined }): RuleSource[] {
  if ((rules === undefined) === (text === undefined))
    throw new Problem('request-invalid', 'body: expected either "rules" or "text"');
  return text === undefined ? [...((rules ?? []) as readonly JsonObject[])] : [{ text, file: 'policies' }];
}
