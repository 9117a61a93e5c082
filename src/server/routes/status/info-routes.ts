import { createRoute, z } from '@hono/zod-openapi';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { profileFor } from '../../access/identity.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { type ProcessRole, processRoles } from '../../server-options.ts';
import { timestamp } from '../../schemas/json-schemas.ts';
import { jsonResponse, problems } from '../../schemas/route-schemas.ts';
import { roleSchema } from '../../schemas/token-schemas.ts';
import type { ServedConfiguration } from '../servers/served-configuration.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { json } from '../../http/json-response.ts';

const infoSchema = z
  .object({
    product: z.literal('Signalbox'),
    version: z.string(),
    role: z.enum(processRoles).describe('The role of this process: `web` leaves turns and jobs to workers.'),
    reader: z
      .object({ id: z.string(), name: z.string().optional(), role: roleSchema })
      .describe('The caller. Each operation lists its roles in `x-roles`.'),
    startedAt: timestamp,
    uptimeSeconds: z.number(),
    tools: z.int().describe('The number of tools that can be called.'),
    servers: z.object({ up: z.int(), down: z.int(), disabled: z.int() }),
    journal: z.string().describe('The location of the journal.'),
    configuration: z
      .object({
        file: z.string(),
        refused: z
          .object({
            since: timestamp,
            details: z.array(z.string()).readonly().describe('The errors with their positions.'),
          })
          .optional()
          .describe('Present when the files have changed and are invalid: the previous configuration stays active.'),
      })
      .optional(),
  })
  .openapi('Info');

const route = createRoute({
  method: 'get',
  path: '/api/info',
  'x-roles': routeRoles.view,
  tags: ['State'],
  summary: 'Get version, uptime and totals',
  responses: { 200: jsonResponse('About this server.', infoSchema), ...problems() },
});

interface InfoRouteOptions {
  readonly box: InternalSignalbox;
  readonly role: ProcessRole;
  readonly startedAt: Date;
  readonly configuration?: ServedConfiguration | undefined;
}

export function addInfoRoutes(app: ServerApp, { box, startedAt, configuration, ...process }: InfoRouteOptions): void {
  app.openapi(route, (context) => {
    const { principal, role } = context.var.identity;
    const { tools, servers } = box.catalog(profileFor(context.var.identity));
    const count = (status: string): number => servers.filter((server) => server.status === status).length;
    const info = {
      product: 'Signalbox' as const,
      version: box.version,
      role: process.role,
      reader: omitUndefined({ id: principal.id, name: principal.name, role }),
      startedAt: startedAt.toISOString(),
      uptimeSeconds: (Date.now() - startedAt.getTime()) / 1000,
      tools: tools.length,
      servers: { up: count('up'), down: count('down'), disabled: count('disabled') },
      journal: box.journal.location,
      ...omitUndefined({ configuration: configuration && toConfiguration(configuration) }),
    };
    return json(context, infoSchema, info, 200);
  });
}

function toConfiguration(configuration: ServedConfiguration): z.output<typeof infoSchema>['configuration'] {
  const { file } = configuration;
  const problem = configuration.problem();
  if (problem === undefined) return { file };
  return { file, refused: { since: new Date(problem.since).toISOString(), details: problem.details } };
}
