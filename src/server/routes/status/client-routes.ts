import { createRoute, z } from '@hono/zod-openapi';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import type { RecentClient } from '../../../surfaces/mcp/protocol/client-info.ts';
import { routeRoles } from '../../access/route-roles.ts';
import { connectCommands } from '../../connect-commands.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { outcome } from '../../schemas/call-schemas.ts';
import { timestamp } from '../../schemas/json-schemas.ts';
import { jsonResponse, problems } from '../../schemas/route-schemas.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { json } from '../../http/json-response.ts';

const maxClients = 200;

const clientSchema = z
  .object({
    name: z.string().describe('The name as reported by the client.'),
    version: z.string(),
    protocolVersion: z.string().describe('The protocol version of the connection.'),
    principal: z.string().describe('The id of the principal.'),
    profile: z.string().optional(),
    sessionId: z.string().describe('The session name of its calls in the journal.'),
    since: timestamp,
    lastSeenAt: timestamp,
    inUse: z.boolean().describe('Whether a request is running or the client listens for changes.'),
    lastCall: z
      .object({ callId: z.string(), tool: z.string(), at: timestamp, outcome: outcome.optional() })
      .optional()
      .describe('The latest call, without an outcome while it runs.'),
  })
  .openapi('McpClient');

const clientsSchema = z
  .object({
    items: z.array(clientSchema).readonly().describe('The clients of the last half hour, the latest first.'),
    connect: z.object({
      url: z.string().describe('The URL of the MCP endpoint.'),
      tokenFile: z.string().optional().describe('The file with the token for agents on this machine.'),
      commands: z
        .array(z.object({ client: z.string(), command: z.string() }))
        .readonly()
        .describe('Shell commands that connect a client. They read the token from its file.'),
    }),
  })
  .openapi('McpClients');

const route = createRoute({
  method: 'get',
  path: '/api/clients',
  'x-roles': routeRoles.read,
  tags: ['State'],
  summary: 'List MCP clients and the commands to connect one',
  responses: {
    200: jsonResponse('The clients that are connected over HTTP, not those of `signalbox stdio`.', clientsSchema),
    ...problems(503),
  },
});

interface ClientRouteOptions {
  readonly box: InternalSignalbox;
  readonly clients: () => readonly RecentClient[];
  readonly url: () => string;
  readonly agentTokenFile?: string | undefined;
}

export function addClientRoutes(app: ServerApp, options: ClientRouteOptions): void {
  const { box, agentTokenFile } = options;

  async function lastCall(session: string): Promise<z.output<typeof clientSchema>['lastCall']> {
    const [call] = (await box.journal.calls({ session, limit: 1 })).items;
    if (call === undefined) return undefined;
    const { callId, tool, at } = call;
    return { callId, tool, at, ...(call.type === 'ToolInvoked' ? { outcome: call.outcome } : {}) };
  }

  app.openapi(route, async (context) => {
    const items = await Promise.all(
      options
        .clients()
        .slice(0, maxClients)
        .map(async ({ name, version, protocolVersion, principal, profile, session, since, seen, isInUse }) => ({
          name: box.secrets.redact(name),
          version: box.secrets.redact(version),
          protocolVersion,
          principal,
          sessionId: session,
          since: new Date(since).toISOString(),
          lastSeenAt: new Date(seen).toISOString(),
          inUse: isInUse,
          ...omitUndefined({ profile, lastCall: await lastCall(session) }),
        })),
    );
    const url = options.url();
    const commands = agentTokenFile === undefined ? [] : connectCommands(url, agentTokenFile);
    const connect = { url: `${url}/mcp`, ...omitUndefined({ tokenFile: agentTokenFile }), commands };
    return json(context, clientsSchema, { items, connect }, 200);
  });
}
