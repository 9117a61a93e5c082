import { createRoute, z } from '@hono/zod-openapi';
import type { Schedules } from '../../../sessions/schedules/schedules.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { Problem } from '../../problems/problem.ts';
import { principalSchema } from '../../schemas/call-schemas.ts';
import { timestamp } from '../../schemas/json-schemas.ts';
import { idParams, jsonBody, jsonResponse, problems } from '../../schemas/route-schemas.ts';
import { json } from '../../http/json-response.ts';

/** The schedules that a server serves. */
export type ServedSchedules = Pick<Schedules, 'create' | 'list' | 'delete' | 'run'>;

const jobFields = {
  cron: z
    .string()
    .openapi({ example: '0 9 * * 1-5', description: 'Minute, hour, day of the month, month, day of the week.' }),
  timezone: z.string().optional().describe('The default is the time zone of the server.'),
  prompt: z.string().min(1).describe('The first message of each session.'),
  agent: z.string().optional(),
  cwd: z.string().optional(),
};

const newJobSchema = z.strictObject(jobFields).openapi('NewJob');

const jobSchema = z
  .object({
    id: z.string(),
    ...jobFields,
    timezone: z.string(),
    owner: principalSchema,
    createdAt: timestamp,
    nextAt: timestamp,
    lastRunAt: timestamp.optional(),
    lastSession: z.string().optional().describe('The session of the last run that started one.'),
    lastError: z.string().optional().describe('Why the last run started no session.'),
  })
  .openapi('Job', { description: 'Starts a session with a prompt at scheduled times.' });

const pageSchema = z.object({ items: z.array(jobSchema).readonly() }).openapi('JobPage');

const listRoute = createRoute({
  method: 'get',
  path: '/api/jobs',
  'x-roles': routeRoles.read,
  tags: ['Sessions'],
  summary: 'List jobs',
  responses: { 200: jsonResponse('Oldest first.', pageSchema), ...problems(404, 503) },
});

const deleteRoute = createRoute({
  method: 'delete',
  path: '/api/jobs/{id}',
  'x-roles': routeRoles.change,
  tags: ['Sessions'],
  summary: 'Delete a job',
  description: 'Sessions that it started continue.',
  request: { params: idParams },
  responses: { 204: { description: 'The job was deleted.' }, ...problems(404, 503) },
});

const runRoute = createRoute({
  method: 'post',
  path: '/api/jobs/{id}/run',
  'x-roles': routeRoles.change,
  tags: ['Sessions'],
  summary: 'Run a job now, outside its schedule',
  description: '`lastSession` is the session that was started; `lastError` is the reason why none was.',
  request: { params: idParams },
  responses: { 200: jsonResponse('The job.', jobSchema), ...problems(404, 503) },
});

const createJobRoute = createRoute({
  method: 'post',
  path: '/api/jobs',
  'x-roles': routeRoles.change,
  tags: ['Sessions'],
  summary: 'Create a job',
  middleware: readJsonBody(),
  request: { body: jsonBody(newJobSchema) },
  responses: { 201: jsonResponse('The job.', jobSchema), ...problems(400, 404, 413, 415, 422, 503) },
});

/** Adds the routes that manage scheduled jobs, as the tools `create_job`, `list_jobs` and `delete_job` do for agents. */
export function addJobRoutes(app: ServerApp, schedules: ServedSchedules | undefined): void {
  app.openapi(listRoute, async (context) => {
    const items = await requireSchedules(schedules).list();
    return json(context, pageSchema, { items }, 200);
  });

  app.openapi(createJobRoute, async (context) => {
    const request = omitUndefined(context.req.valid('json'));
    const job = await requireSchedules(schedules).create(request, context.var.principal);
    return json(context, jobSchema, job, 201);
  });

  app.openapi(runRoute, async (context) => {
    const job = await requireSchedules(schedules).run(context.req.valid('param').id);
    return json(context, jobSchema, job, 200);
  });

  app.openapi(deleteRoute, async (context) => {
    await requireSchedules(schedules).delete(context.req.valid('param').id);
    return context.body(null, 204);
  });
}

function requireSchedules(schedules: ServedSchedules | undefined): ServedSchedules {
  if (schedules !== undefined) return schedules;
  throw new Problem('sessions-absent', 'this server has no jobs; start it with "signalbox serve"');
}
