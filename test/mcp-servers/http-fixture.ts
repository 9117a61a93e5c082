import { randomUUID } from 'node:crypto';
import { type Server as HttpServer, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { WebStandardStreamableHTTPServerTransport, createMcpHandler } from '@modelcontextprotocol/server';
import { fixtureServer } from './fixture-server.ts';

/** The fixture on a real socket. */
export interface HttpFixture {
  readonly url: string;
  /** The headers of every request that came. */
  readonly requests: Headers[];
  /** Forgets all sessions, as a restarted server does. */
  forgetSessions(): void;
  /** How many requests to listen (GET) are refused from now on, with a fault of the server. */
  refuseToBeHeard(times: number): void;
  /** Breaks every connection there is. */
  breakConnections(): void;
  /** Tells those who listen that the tools changed. */
  toolsChanged(): void;
  /** Notifies listening clients that the resources and prompts changed. */
  contentChanged(): void;
  /** Tells those who watch a resource that it changed. */
  resourceUpdated(uri: string): void;
  readonly added: string[];
  close(): Promise<void>;
}

/** Answers a request in the place of the fixture, or lets it through. */
export type Guard = (request: Request) => Response | undefined | Promise<Response | undefined>;

/** Serves the fixture over streamable HTTP: with sessions, or in the revision without. */
export async function httpFixture(era: 'legacy' | 'modern', port = 0, guard?: Guard): Promise<HttpFixture> {
  const added: string[] = [];
  const requests: Headers[] = [];
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  let refusals = 0;
  const handler = createMcpHandler(() => fixtureServer({ added }));

  const legacy = async (request: Request): Promise<Response> => {
    const id = request.headers.get('mcp-session-id');
    const known = sessions.get(id ?? '');
    if (known !== undefined) return await known.handleRequest(request);
    if (id !== null) return new Response('no such session', { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void sessions.set(session, transport),
    });
    await fixtureServer({ added }).connect(transport);
    return await transport.handleRequest(request);
  };
  const listener = getRequestListener(async (request) => {
    requests.push(request.headers);
    if (request.method === 'GET' && refusals > 0) {
      refusals -= 1;
      return new Response('not now', { status: 500 });
    }
    const refused = await guard?.(request);
    if (refused !== undefined) return refused;
    return await (era === 'legacy' ? legacy(request) : handler.fetch(request));
  });
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    requests,
    added,
    refuseToBeHeard: (times) => void (refusals = times),
    forgetSessions: () => sessions.clear(),
    breakConnections: () => server.closeAllConnections(),
    toolsChanged: () => handler.notify.toolsChanged(),
    contentChanged() {
      handler.notify.resourcesChanged();
      handler.notify.promptsChanged();
    },
    resourceUpdated: (uri) => handler.notify.resourceUpdated(uri),
    close: () => closed(server),
  };
}

function closed(server: HttpServer): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
