import type { InternalSignalbox } from '../../../src/signalbox/internal-signalbox.ts';
import { openSignalbox } from '../../../src/signalbox/create-signalbox.ts';
import { type IncomingHttpHeaders, request } from 'node:http';
import type { TestContext } from 'node:test';
import * as z from 'zod';
import type { CallResult } from '../../../src/core/calls/call.ts';
import type { Role } from '../../../src/core/principal.ts';
import { createPrometheusMetrics } from '../../../src/server/metrics/prometheus-metrics.ts';
import type { RunningServer, ServerOptions } from '../../../src/server/server-options.ts';
import { startServer } from '../../../src/server/start-server.ts';
import { defineTool } from '../../../src/sources/local/define-tool.ts';
import { localServer } from '../../../src/sources/local/local-server.ts';

export const adminToken = 'test-admin-token-4f1c9b';

/** A server over a box with a few tools, closed with the test. */
export interface TestServer {
  readonly box: InternalSignalbox;
  readonly server: RunningServer;
  /** The log lines of the server. */
  readonly logged: string[];
  /** Sends a GET with the admin token. */
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Calls a tool of the server `test` with the admin token. */
  call(tool: string, body?: unknown, init?: RequestInit): Promise<Response>;
  /** Signs a browser in; returns the headers that its pages send. */
  signIn(): Promise<BrowserHeaders>;
  /** Creates a token with this role. */
  token(role: Role, expiresInMs?: number): Promise<{ readonly id: string; readonly token: string }>;
  /** Sends JSON with a token. The default body is `{}`. */
  send(token: string, method: string, path: string, body?: unknown): Promise<Response>;
}

export async function startTestServer(test: TestContext, options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const metrics = createPrometheusMetrics();
  const box =
    options.box ??
    (await openSignalbox({ servers: [testTools()], metrics: metrics.metrics, results: { maxBytes: 4096 } }));
  const logged: string[] = [];
  const log = (line: string): void => void logged.push(line);
  const server = await startServer({ box, host: '127.0.0.1', port: 0, token: adminToken, metrics, log, ...options });
  test.after(async () => {
    await server.close();
    await box.close();
  });
  const authorization = `Bearer ${adminToken}`;
  return {
    box,
    server,
    logged,
    get: (path, headers = {}) => fetch(server.url + path, { headers: { authorization, ...headers } }),
    call: (tool, body = {}, init = {}) =>
      fetch(`${server.url}/api/tools/mcp__test__${tool}/call`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...init,
      }),
    token: (role, expiresInMs) =>
      box.tokens.create({
        role,
        by: { id: 'alice', kind: 'human' },
        ...(expiresInMs === undefined ? {} : { expiresInMs }),
      }),
    send: (token, method, path, body = {}) =>
      fetch(server.url + path, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
      }),
    signIn: async () => browserHeaders(await fetch(await server.signInUrl(), { redirect: 'manual' })),
  };
}

/** The headers of a signed-in browser's requests: the cookie, and the key that the page stores. */
export interface BrowserHeaders {
  readonly cookie: string;
  readonly 'signalbox-browser-key': string;
}

/** Reads the cookie and the browser key from the response to a sign-in link. */
export async function browserHeaders(response: Response): Promise<BrowserHeaders> {
  const [, key = ''] = /<meta name="signalbox-browser-key" content="([\w-]+)"/.exec(await response.text()) ?? [];
  return { cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '', 'signalbox-browser-key': key };
}

/** Returns the JSON body of a response, typed by the test. */
export async function bodyOf<Body = CallResult>(response: Response | Promise<Response>): Promise<Body> {
  return (await (await response).json()) as Body;
}

/** The response to a raw request. */
export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends a request with arbitrary headers, because `fetch` does not allow a forged `Host`. */
export function sendRawRequest(
  server: Pick<RunningServer, 'port'>,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: readonly (string | Buffer)[] } = {},
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {} } = options;
    const outgoing = request(
      { host: '127.0.0.1', port: server.port, path, method, headers, agent: false },
      (incoming) => {
        let body = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => (body += chunk));
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body }));
      },
    );
    outgoing.on('error', reject);
    for (const chunk of options.body ?? []) outgoing.write(chunk);
    outgoing.end();
  });
}

function testTools(): ReturnType<typeof localServer> {
  return localServer({
    name: 'test',
    tools: [
      defineTool({
        name: 'echo',
        description: 'Returns its text.',
        input: z.object({ text: z.string() }),
        effect: 'read',
        run: ({ text }) => text,
      }),
      defineTool({
        name: 'wait',
        description: 'Waits, or fails when the call is cancelled.',
        input: z.object({ ms: z.number() }),
        effect: 'read',
        run: ({ ms }, { signal }) =>
          new Promise((resolve, reject) => {
            const timer = setTimeout(() => resolve('waited'), ms);
            signal.addEventListener('abort', () => {
              clearTimeout(timer);
              reject(new Error('stopped'));
            });
          }),
      }),
      defineTool({
        name: 'long',
        description: 'Returns a long text.',
        input: z.object({}),
        effect: 'read',
        run: () => 'x'.repeat(10_000),
      }),
      defineTool({
        name: 'burn',
        description: 'Cannot be undone.',
        input: z.object({}),
        effect: 'irreversible',
        run: () => 'burnt',
      }),
      defineTool({
        name: 'break',
        description: '<script>alert("description")</script> & <b>bold</b>',
        title: '"><img src=x onerror=alert(1)>',
        input: z.object({}),
        effect: 'read',
        run: () => {
          throw new Error('broken');
        },
      }),
    ],
  });
}
