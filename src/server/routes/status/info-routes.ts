import type { Principal } from '../../../core/principal.ts';
import { createRoute, z } from '@hono/zod-openapi';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { profileFor } from '../../access/identity.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { type ProcessRole, processRoles } from '../../process-role.ts';
import { timestamp } from '../../schemas/json-schemas.ts';
import { problems } from '../../schemas/problem-schemas.ts';
import { roleSchema } from '../../schemas/token-schemas.ts';
import type { ServedConfiguration } from '../servers/served-configuration.ts';
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
  'x-roles': routeRoles.look,
  tags: ['State'],
  summary: 'Get version, uptime and totals',
  responses: {
    200: { description: 'About this server.', content: { 'application/json': { schema: infoSchema } } },
    ...problems(),
  },
});

/** Options of `addInfoRoutes`. */
interface InfoRouteOptions {
  readonly box: InternalSignalbox;
  readonly role: ProcessRole;
  readonly startedAt: Date;
  readonly configuration?: ServedConfiguration | undefined;
}

export function addInfoRoutes(app: ServerApp, { box, role, startedAt, configuration }: InfoRouteOptions): void {
  app.openapi(route, (context) => {
    const { identity } = context.var;
    const { tools, servers } = box.catalog(profileFor(identity));
    const count = (status: string): number => servers.filter((server) => server.status === status).length;
    const info = {
      product: 'Signalbox' as const,
      version: box.version,
      role,
      reader: { ...readerOf(identity.principal), role: identity.role },
      startedAt: startedAt.toISOString(),
      uptimeSeconds: (Date.now() - startedAt.getTime()) / 1000,
      tools: tools.length,
      servers: { up: count('up'), down: count('down'), disabled: count('disabled') },
      journal: box.journal.location,
      ...(configuration === undefined ? {} : { configuration: toConfiguration(configuration) }),
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

function readerOf({ id, name }: Principal): { readonly id: string; readonly name?: string } {
  return name === undefined ? { id } : { id, name };
}
