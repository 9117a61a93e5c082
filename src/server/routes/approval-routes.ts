import { createRoute, z } from '@hono/zod-openapi';
import type { Approval, RememberedRule } from '../../core/calls/approval.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import type { ApproveOptions } from '../../pipeline/approvals/approval-inbox.ts';
import type { RememberPreview } from '../../pipeline/approvals/remembered.ts';
import { maySeeHidden } from '../access/identity.ts';
import { routeRoles } from '../access/route-roles.ts';
import type { ServerApp } from '../http/server-context.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import { readJsonBody } from '../http/json-body.ts';
import {
  approvalPageSchema,
  approvalSchema,
  approveRequestSchema,
  denyRequestSchema,
  previewSchema,
  rememberScope,
  revealedSchema,
  ruleSchema,
} from '../schemas/approval-schemas.ts';
import { idParams, jsonBody, jsonResponse, problems } from '../schemas/route-schemas.ts';
import { json } from '../http/json-response.ts';

const tags = ['Approvals'];
const defaultPage = 100;
const maxPage = 1000;
const rulePageSchema = z.object({ items: z.array(ruleSchema).readonly() }).openapi('RulePage');

const listRoute = createRoute({
  method: 'get',
  path: '/api/approvals',
  'x-roles': routeRoles.read,
  tags,
  summary: 'List approvals',
  request: {
    query: z.object({
      state: z
        .enum(['pending', 'open', 'all'])
        .optional()
        .describe(
          '`pending`: without an answer; `open` (default): pending, or approved and not used; `all`: every approval.',
        ),
      principal: z.string().optional().describe('Only approvals of calls by this principal.'),
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(maxPage)
        .optional()
        .describe(`The maximum is ${maxPage}, the default ${defaultPage}.`),
      cursor: z.string().optional().describe('`next` of the previous page.'),
    }),
  },
  responses: { 200: jsonResponse('Newest first.', approvalPageSchema), ...problems(400, 404, 503) },
});

const getRoute = createRoute({
  method: 'get',
  path: '/api/approvals/{id}',
  'x-roles': routeRoles.read,
  tags,
  summary: 'Get an approval',
  request: { params: idParams },
  responses: { 200: jsonResponse('The approval.', approvalSchema), ...problems(404, 503) },
});

const rulesRoute = createRoute({
  method: 'get',
  path: '/api/approvals/rules',
  'x-roles': routeRoles.read,
  tags,
  summary: 'List remembered approvals',
  responses: { 200: jsonResponse('Oldest first.', rulePageSchema), ...problems(503) },
});

const revokeRoute = createRoute({
  method: 'delete',
  path: '/api/approvals/rules/{id}',
  'x-roles': routeRoles.change,
  tags,
  summary: 'Revoke a remembered approval',
  request: { params: idParams },
  responses: { 200: jsonResponse('The remaining rules.', rulePageSchema), ...problems(404, 503) },
});

const previewRoute = createRoute({
  method: 'get',
  path: '/api/approvals/{id}/remember',
  'x-roles': routeRoles.read,
  tags,
  summary: 'Preview a remembered approval',
  request: { params: idParams, query: z.object({ scope: rememberScope }) },
  responses: {
    200: jsonResponse('The rule, and the recorded calls that it would have allowed.', previewSchema),
    ...problems(400, 404, 422, 503),
  },
});

const revealRoute = createRoute({
  method: 'post',
  path: '/api/approvals/{id}/reveal',
  'x-roles': routeRoles.answer,
  tags,
  summary: 'Reveal the hidden parts of an approval',
  description:
    'Returns the arguments with only registered secret values hidden, and records who revealed them. The same human can then approve without `acknowledgeHidden`.',
  request: { params: idParams },
  responses: { 200: jsonResponse('The arguments.', revealedSchema), ...problems(404, 409, 503) },
});

function answerRoute<Action extends 'approve' | 'deny', Body extends z.ZodType>(action: Action, schema: Body) {
  return createRoute({
    method: 'post',
    path: `/api/approvals/{id}/${action}`,
    'x-roles': routeRoles.answer,
    tags,
    summary: action === 'approve' ? 'Approve a call' : 'Deny a call',
    description: 'The first answer wins. Later ones get 409, with the person and the time of the first.',
    middleware: readJsonBody(),
    request: { params: idParams, body: jsonBody(schema) },
    responses: {
      200: jsonResponse('The approval with the answer.', approvalSchema),
      ...problems(400, 404, 409, 413, 415, 422, 503),
    },
  });
}

/** Redacts the arguments of approvals and rules as the journal does, for viewers, who must not see the hidden parts of calls. */
class ArgumentRedactor {
  readonly #redactJson: (text: string) => string;

  constructor(redactJson: (text: string) => string) {
    this.#redactJson = redactJson;
  }

  approval(record: Approval): Approval {
    const { arguments: shown, givenArguments, answer, hidden } = record;
    const redacted = this.#redact(shown);
    return {
      ...record,
      arguments: redacted,
      // Positions in a text that was redacted again mean nothing.
      hidden: redacted === shown ? hidden : [],
      ...(givenArguments === undefined ? {} : { givenArguments: this.#redact(givenArguments) }),
      ...(answer?.arguments === undefined ? {} : { answer: { ...answer, arguments: this.#redact(answer.arguments) } }),
    };
  }

  rule(rule: RememberedRule): RememberedRule {
    return rule.arguments === undefined ? rule : { ...rule, arguments: this.#redact(rule.arguments) };
  }

  preview(preview: RememberPreview): RememberPreview {
    const examples = preview.examples.map((example) => this.approval(example));
    return { ...preview, rule: this.rule(preview.rule), examples };
  }

  #redact(value: JsonObject): JsonObject {
    const text = JSON.stringify(value);
    const redacted = this.#redactJson(text);
    return redacted === text ? value : (JSON.parse(redacted) as JsonObject);
  }
}

/** Adds the routes of the approval inbox. */
export function addApprovalRoutes(app: ServerApp, box: InternalSignalbox): void {
  const { approvals } = box;
  const redactor = new ArgumentRedactor((text) => box.redactJson(text));
  app.openapi(listRoute, async (context) => {
    const { limit = defaultPage, ...query } = omitUndefined(context.req.valid('query'));
    const page = await approvals.page({ ...query, limit });
    const items = maySeeHidden(context.var.identity) ? page.items : page.items.map((each) => redactor.approval(each));
    return json(context, approvalPageSchema, { ...page, items }, 200);
  });
  app.openapi(rulesRoute, async (context) => {
    const rules = await approvals.rules();
    const items = maySeeHidden(context.var.identity) ? rules : rules.map((rule) => redactor.rule(rule));
    return json(context, rulePageSchema, { items }, 200);
  });
  app.openapi(revokeRoute, async (context) => {
    await approvals.revoke(context.req.valid('param').id, { by: context.var.principal });
    return json(context, rulePageSchema, { items: await approvals.rules() }, 200);
  });
  app.openapi(getRoute, async (context) => {
    const found = await approvals.get(context.req.valid('param').id);
    return json(context, approvalSchema, maySeeHidden(context.var.identity) ? found : redactor.approval(found), 200);
  });
  app.openapi(previewRoute, async (context) => {
    const { scope } = context.req.valid('query');
    const preview = await approvals.preview(context.req.valid('param').id, scope, context.var.principal);
    const shown = maySeeHidden(context.var.identity) ? preview : redactor.preview(preview);
    return json(context, previewSchema, shown, 200);
  });
  app.openapi(answerRoute('approve', approveRequestSchema), async (context) => {
    const answer = omitUndefined(context.req.valid('json')) as Omit<ApproveOptions, 'by'>;
    const answered = await approvals.approve(context.req.valid('param').id, { by: context.var.principal, ...answer });
    return json(context, approvalSchema, answered, 200);
  });
  app.openapi(revealRoute, async (context) => {
    const revealed = await approvals.reveal(context.req.valid('param').id, { by: context.var.principal });
    return json(context, revealedSchema, revealed, 200);
  });
  app.openapi(answerRoute('deny', denyRequestSchema), async (context) => {
    const answer = omitUndefined(context.req.valid('json'));
    const answered = await approvals.deny(context.req.valid('param').id, { by: context.var.principal, ...answer });
    return json(context, approvalSchema, answered, 200);
  });
}
