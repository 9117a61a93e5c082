import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport, createMcpHandler } from '@modelcontextprotocol/server';
import { fixtureServer } from './fixture-server.ts';
import { serve } from './serve.ts';

/** The fixture as a running HTTP server. */
export interface HttpFixture {
  readonly url: string;
  /** The headers of every received request. */
  readonly requests: Headers[];
  /** Forgets all sessions, as a restarted server does. */
  forgetSessions(): void;
  /** Whether a client has requested its event stream (GET), or a subscription of the 2026 revision. */
  isSubscribed(): boolean;
  /** Answers the next requests for an event stream (GET) with HTTP 500. */
  refuseEventStreams(times: number): void;
  /** Closes all open connections. */
  breakConnections(): void;
  /** Notifies subscribed clients that the tools changed. */
  toolsChanged(): void;
  /** Notifies subscribed clients that the resources and prompts changed. */
  contentChanged(): void;
  /** Notifies subscribers of a resource that it changed. */
  resourceUpdated(uri: string): void;
  readonly added: string[];
  close(): Promise<void>;
}

/** Answers a request before the fixture, or passes it on. */
export type Guard = (request: Request) => Response | undefined | Promise<Response | undefined>;

/** Serves the fixture over Streamable HTTP: with sessions, or in the 2026 revision without. */
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
  const listener = async (request: Request): Promise<Response> => {
    requests.push(request.headers);
    if (request.method === 'GET' && refusals > 0) {
      refusals -= 1;
      return new Response('refused by the test', { status: 500 });
    }
    const refused = await guard?.(request);
    if (refused !== undefined) return refused;
    return await (era === 'legacy' ? legacy(request) : handler.fetch(request));
  };
  const { origin, server, close } = await serve(listener, port);
  return {
    url: `${origin}/mcp`,
    requests,
    added,
    isSubscribed: () =>
      requests.some((each) => each.get('content-type') === null || each.get('mcp-method') === 'subscriptions/listen'),
    refuseEventStreams: (times) => void (refusals = times),
    forgetSessions: () => sessions.clear(),
    breakConnections: () => server.closeAllConnections(),
    toolsChanged: () => handler.notify.toolsChanged(),
    contentChanged() {
      handler.notify.resourcesChanged();
      handler.notify.promptsChanged();
    },
    resourceUpdated: (uri) => handler.notify.resourceUpdated(uri),
    close,
  };
}
