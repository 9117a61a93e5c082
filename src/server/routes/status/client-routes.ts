import { createRoute, z } from '@hono/zod-openapi';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import type { RecentClient } from '../../../surfaces/mcp/protocol/client-info.ts';
import { routeRoles } from '../../access/route-roles.ts';
import { connectCommands } from './connect-commands.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { outcome } from '../../schemas/call-schemas.ts';
import { timestamp } from '../../schemas/json-schemas.ts';
import { problems } from '../../schemas/problem-schemas.ts';
import { json } from '../../http/json-response.ts';

const most = 200;

const clientSchema = z
  .object({
    name: z.string().describe('What it calls itself.'),
    version: z.string(),
    protocolVersion: z.string().describe('The revision of MCP it speaks.'),
    principal: z.string().describe('Who it acts for.'),
    profile: z.string().optional(),
    sessionId: z.string().describe('What its calls are recorded under.'),
    since: timestamp,
    lastSeenAt: timestamp,
    inUse: z.boolean().describe('A request of it is being served, or it listens for changes.'),
    lastCall: z
      .object({ callId: z.string(), tool: z.string(), at: timestamp, outcome: outcome.optional() })
      .optional()
      .describe('Its latest call; without an outcome while it runs.'),
  })
  .openapi('McpClient');

const clientsSchema = z
  .object({
    items: z.array(clientSchema).readonly().describe('Those heard of in the last half hour, the latest first.'),
    connect: z.object({
      url: z.string().describe('The address of the MCP endpoint.'),
      tokenFile: z.string().optional().describe('Where the token for agents of this machine is kept.'),
      commands: z
        .array(z.object({ client: z.string(), command: z.string() }))
        .readonly()
        .describe('Lines for a shell that connect a client. They read the token from its file.'),
    }),
  })
  .openapi('McpClients');

const route = createRoute({
  method: 'get',
  path: '/api/clients',
  'x-roles': routeRoles.read,
  tags: ['State'],
  summary: 'The MCP clients of this server, and how to connect one',
  responses: {
    200: {
      description: 'The clients over HTTP. Those of `signalbox stdio` are in processes of their own.',
      content: { 'application/json': { schema: clientsSchema } },
    },
    ...problems(503),
  },
});

interface ClientParts {
  readonly box: InternalSignalbox;
  readonly clients: () => readonly RecentClient[];
  readonly url: () => string;
  readonly agentTokenFile?: string | undefined;
}

export function addClientRoutes(app: ServerApp, parts: ClientParts): void {
  const { box, agentTokenFile } = parts;

  async function lastCall(session: string): Promise<Pick<z.output<typeof clientSchema>, 'lastCall'>> {
    const [call] = (await box.journal.calls({ session, limit: 1 })).items;
    if (call === undefined) return {};
    const { callId, tool, at } = call;
    return { lastCall: { callId, tool, at, ...(call.type === 'ToolInvoked' ? { outcome: call.outcome } : {}) } };
  }

  app.openapi(route, async (context) => {
    const items = await Promise.all(
      parts
        .clients()
        .slice(0, most)
        .map(async ({ name, version, protocolVersion, principal, profile, session, since, seen, isInUse }) => ({
          name: box.secrets.redact(name),
          version: box.secrets.redact(version),
          protocolVersion,
          principal,
          ...(profile === undefined ? {} : { profile }),
          sessionId: session,
          since: new Date(since).toISOString(),
          lastSeenAt: new Date(seen).toISOString(),
          inUse: isInUse,
          ...(await lastCall(session)),
        })),
    );
    const url = parts.url();
    const connect =
      agentTokenFile === undefined
        ? { url: `${url}/mcp`, commands: [] }
        : { url: `${url}/mcp`, tokenFile: agentTokenFile, commands: connectCommands(url, agentTokenFile) };
    return json(context, clientsSchema, { items, connect }, 200);
  });
}
