import { createRoute, z } from '@hono/zod-openapi';
import type { Schedules } from '../../../sessions/schedules/schedules.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { Problem } from '../../problems/problem.ts';
import { principalSchema } from '../../schemas/call-schemas.ts';
import { timestamp } from '../../schemas/json-schemas.ts';
import { problems } from '../../schemas/problem-schemas.ts';
import { json } from '../../http/json-response.ts';

/** What the routes need of schedules. */
export type ServedSchedules = Pick<Schedules, 'create' | 'list' | 'delete' | 'run'>;

const asked = {
  cron: z
    .string()
    .openapi({ example: '0 9 * * 1-5', description: 'Minute, hour, day of the month, month, day of the week.' }),
  timezone: z.string().optional().describe('That of the machine unless said.'),
  prompt: z.string().min(1).describe('The message that its sessions begin with.'),
  agent: z.string().optional(),
  cwd: z.string().optional(),
};

const newJobSchema = z.strictObject(asked).openapi('NewJob');

const jobSchema = z
  .object({
    id: z.string(),
    ...asked,
    timezone: z.string(),
    owner: principalSchema,
    createdAt: timestamp,
    nextAt: timestamp,
    lastRunAt: timestamp.optional(),
    lastSession: z.string().optional().describe('The session of the last run that had one.'),
    lastError: z.string().optional().describe('Why the last run came to nothing.'),
  })
  .openapi('Job', { description: 'A turn that begins again and again, each time in a session of its own.' });

const pageSchema = z.object({ items: z.array(jobSchema).readonly() }).openapi('JobPage');

const listRoute = createRoute({
  method: 'get',
  path: '/api/jobs',
  'x-roles': routeRoles.read,
  tags: ['Sessions'],
  summary: 'The jobs that begin sessions at their times',
  responses: {
    200: { description: 'Oldest first.', content: { 'application/json': { schema: pageSchema } } },
    ...problems(404, 503),
  },
});

const deleteRoute = createRoute({
  method: 'delete',
  path: '/api/jobs/{id}',
  'x-roles': routeRoles.change,
  tags: ['Sessions'],
  summary: 'Delete a job',
  description: 'A session that it began goes on.',
  request: { params: z.object({ id: z.string() }) },
  responses: { 204: { description: 'It is gone.' }, ...problems(404, 503) },
});

const runRoute = createRoute({
  method: 'post',
  path: '/api/jobs/{id}/run',
  'x-roles': routeRoles.change,
  tags: ['Sessions'],
  summary: 'Run a job now, outside its schedule',
  request: { params: z.object({ id: z.string() }) },
  responses: {
    200: {
      description: 'The job. `lastSession` is the session that was started; `lastError` says why none was.',
      content: { 'application/json': { schema: jobSchema } },
    },
    ...problems(404, 503),
  },
});

/** What `create_job`, `list_jobs` and `delete_job` do for agents, for people. */
export function addJobRoutes(app: ServerApp, schedules: ServedSchedules | undefined, maxBodyBytes: number): void {
  const createJobRoute = createRoute({
    method: 'post',
    path: '/api/jobs',
    'x-roles': routeRoles.change,
    tags: ['Sessions'],
    summary: 'Have a turn begin again and again',
    middleware: readJsonBody(maxBodyBytes),
    request: { body: { content: { 'application/json': { schema: newJobSchema } } } },
    responses: {
      201: { description: 'The job.', content: { 'application/json': { schema: jobSchema } } },
      ...problems(400, 404, 413, 415, 422, 503),
    },
  });

  app.openapi(listRoute, async (context) => {
    const items = await present(schedules).list();
    return json(context, pageSchema, { items }, 200);
  });

  app.openapi(createJobRoute, async (context) => {
    const job = await present(schedules).create(omitUndefined(context.req.valid('json')), context.var.principal);
    return json(context, jobSchema, job, 201);
  });

  app.openapi(runRoute, async (context) => {
    const job = await present(schedules).run(context.req.valid('param').id);
    return json(context, jobSchema, job, 200);
  });

  app.openapi(deleteRoute, async (context) => {
    await present(schedules).delete(context.req.valid('param').id);
    return context.body(null, 204);
  });
}

function present(schedules: ServedSchedules | undefined): ServedSchedules {
  if (schedules !== undefined) return schedules;
  throw new Problem('sessions-absent', 'no jobs are kept behind this server; "signalbox serve" keeps some');
}
