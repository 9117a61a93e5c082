import type { IncomingMessage, ServerResponse } from 'node:http';
import { RequestError, getRequestListener } from '@hono/node-server';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Registry } from 'prom-client';
import type { RecentClient } from '../surfaces/mcp/protocol/client-info.ts';
import { authenticate } from './access/authenticate.ts';
import { type RouteTable, authorize, collectRouteAccess } from './access/authorize.ts';
import type { BearerTokens } from './access/tokens/bearer-tokens.ts';
import type { BrowserSessions } from './access/browser/browser-sessions.ts';
import { checkHostAndOrigin } from './access/allowed-hosts.ts';
import { signIn } from './access/browser/browser-sign-in.ts';
import type { SignInCodes } from './access/browser/sign-in-codes.ts';
import type { Admission } from './http/admission.ts';
import type { ServerApp, ServerContext, ServerEnvironment } from './http/server-context.ts';
import { LiveEvents } from './streams/live-events.ts';
import { PolicyChecker } from './routes/policies/policy-checks.ts';
import type { ProcessRole, ServerOptions } from './server-options.ts';
import { toProblem } from './problems/to-problem.ts';
import { unknownPage } from './pages/error-pages.ts';
import { Problem, problemType } from './problems/problem.ts';
import { SessionRedactor } from './routes/sessions/session-redactor.ts';
import { addApprovalRoutes } from './routes/approval-routes.ts';
import { addCallRoutes } from './routes/tools/call-routes.ts';
import { addClientRoutes } from './routes/status/client-routes.ts';
import { addConfiguredServerRoutes } from './routes/servers/configured-server-routes.ts';
import { consolePaths, addConsoleRoutes } from './routes/pages/console-routes.ts';
import { addContentRoutes } from './routes/tools/content-routes.ts';
import { addEventRoutes } from './routes/records/event-routes.ts';
import { addHealthRoutes } from './routes/status/health-routes.ts';
import { addInfoRoutes } from './routes/status/info-routes.ts';
import { addJobRoutes } from './routes/sessions/job-routes.ts';
import { addJournalRoutes } from './routes/records/journal-routes.ts';
import { addLockRoutes } from './routes/servers/lock-routes.ts';
import { addMetricsRoutes } from './routes/status/metrics-routes.ts';
import { addDocumentationRoutes } from './routes/pages/openapi-routes.ts';
import { addPolicyRoutes } from './routes/policies/policy-routes.ts';
import { addServerRoutes } from './routes/servers/server-routes.ts';
import { addAnswerRoutes } from './routes/sessions/answer-routes.ts';
import { addReplayRoutes } from './routes/sessions/replay-routes.ts';
import { addTurnRoutes } from './routes/sessions/turn-routes.ts';
import { addSessionRoutes } from './routes/sessions/session-routes.ts';
import { addSignInRoutes } from './routes/access/sign-in-routes.ts';
import { addStatisticsRoutes } from './routes/records/statistics-routes.ts';
import { addTokenRoutes } from './routes/access/token-routes.ts';
import { addToolRoutes } from './routes/tools/tool-routes.ts';
import { addUndoRoutes } from './routes/records/undo-routes.ts';
import { securityHeaders, setSecurityHeaders } from './http/security-headers.ts';
import { SessionAccess } from './routes/sessions/session-access.ts';
import { EventStreams } from './streams/event-streams.ts';

/** Options of `createApp`. */
interface AppOptions extends Pick<
  ServerOptions,
  'box' | 'configuration' | 'sessions' | 'schedules' | 'findConsole' | 'agentTokenFile'
> {
  readonly role: ProcessRole;
  readonly registry: Registry;
  readonly codes: SignInCodes;
  readonly browserSessions: BrowserSessions;
  readonly startedAt: Date;
  readonly maxBodyBytes: number;
  readonly bearers: BearerTokens;
  /** Empty until the server listens. */
  readonly allowedHosts: () => ReadonlySet<string>;
  readonly url: () => string;
  /** Returns the recently active MCP clients. */
  readonly clients: () => readonly RecentClient[];
  /** Limits concurrent calls. */
  readonly admission: Admission;
  /** Aborted when load balancers should use other replicas. */
  readonly draining: AbortSignal;
  /** Aborted when the server stops accepting requests. */
  readonly stopping: AbortSignal;
  /** Aborted when the calls that still run must end. */
  readonly ending: AbortSignal;
  readonly log: (line: string) => void;
}

/** Serves a request. */
export type AppListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Creates the request listener that serves the routes. */
export function createAppListener(options: AppOptions): AppListener {
  const listener = getRequestListener(createApp(options).fetch, {
    // The host program may rely on the standard globals.
    overrideGlobalObjects: false,
    errorHandler: (error) => toResponse(error, options.log),
  });
  return async (request, response) => {
    await listener(request, response);
  };
}

/** Returns the response to a request that does not reach the routes. */
function toResponse(error: unknown, log: (line: string) => void): Response {
  // The signal of a request is aborted with a string when the client disconnects, which is not an internal error.
  const refused = error instanceof RequestError ? error.message : typeof error === 'string' ? error : undefined;
  const problem = refused === undefined ? toProblem(error, log) : new Problem('request-malformed', refused);
  return new Response(JSON.stringify(problem.document()), {
    status: problem.status,
    headers: { ...securityHeaders, 'Content-Type': problemType },
  });
}

/** Creates the routes with their access checks. Routes that are added after `authorize` are open only to the roles that they declare. */
export function createApp(options: AppOptions): ServerApp {
  const { box, configuration } = options;
  const app = new OpenAPIHono<ServerEnvironment>({
    defaultHook(result) {
      if (result.success) return;
      const target = result.target === 'json' ? 'body' : result.target;
      const issues = result.error.issues.map(({ path, message }) => ({ path: [target, ...path].join('.'), message }));
      const detail = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
      throw new Problem('request-invalid', detail, { issues });
    },
  });
  app.onError((error, context) => sendProblem(context, toProblem(error, options.log)));
  app.notFound((context) => {
    const methods = allowedMethods(app, context.req.path);
    const headers = { Allow: methods.join(', ') };
    const isNavigation = context.req.header('sec-fetch-dest') === 'document' && !context.req.path.startsWith('/api/');
    if (methods.length > 0)
      return sendProblem(context, new Problem('method-refused', `this route accepts ${headers.Allow}`, { headers }));
    if (isNavigation) return context.html(unknownPage(), 404);
    return sendProblem(context, new Problem('route-unknown', 'no route has this path; /docs lists the routes'));
  });

  app.use(setSecurityHeaders, checkHostAndOrigin(options.allowedHosts), async (context, next) => {
    context.set('maxBodyBytes', options.maxBodyBytes);
    await next();
  });
  addHealthRoutes(app, box, options.draining);
  const pages = options.role === 'worker' ? [] : [...Object.keys(consolePaths), '/docs'];
  for (const path of pages)
    app.get(path.replaceAll(/\{(\w+)\}/g, ':$1'), signIn(options.codes, options.browserSessions));
  let declared: RouteTable = new Map();
  app.use(authenticate(options.bearers, options.browserSessions, () => declared));
  app.use(authorize(() => declared));

  if (options.role === 'worker') {
    addMetricsRoutes(app, box, options.registry);
    declared = collectRouteAccess(app);
    return app;
  }
  addInfoRoutes(app, options);
  addClientRoutes(app, options);
  addToolRoutes(app, box);
  addCallRoutes(app, options);
  addContentRoutes(app, box);
  addApprovalRoutes(app, box);
  addServerRoutes(app, box, configuration);
  addConfiguredServerRoutes(app, box, configuration);
  addLockRoutes(app, box, configuration);
  addPolicyRoutes(app, box, configuration, new PolicyChecker(options.stopping));
  addJournalRoutes(app, box);
  addStatisticsRoutes(app, box);
  addUndoRoutes(app, box);
  addTokenRoutes(app, box);
  addSignInRoutes(app, options);
  const redacted = new SessionRedactor((text) => box.redactJson(text));
  const streams = new EventStreams({ stopping: options.stopping, log: options.log });
  const served = new SessionAccess(options.sessions, redacted);
  addSessionRoutes(app, box, served);
  addTurnRoutes(app, box, served, streams);
  addAnswerRoutes(app, served);
  addReplayRoutes(app, box);
  addJobRoutes(app, options.schedules);
  addEventRoutes(app, new LiveEvents(box, options.sessions, redacted), streams);
  addMetricsRoutes(app, box, options.registry);
  addConsoleRoutes(app, options.findConsole);
  addDocumentationRoutes(app, box.version);
  declared = collectRouteAccess(app);
  return app;
}

function sendProblem(context: ServerContext, problem: Problem): Response {
  return context.body(JSON.stringify(problem.document()), problem.status, {
    ...problem.headers,
    'Content-Type': problemType,
  });
}

/** Returns the methods that the routes of the app accept for a path, for the `Allow` header of a 405. */
function allowedMethods(app: ServerApp, path: string): string[] {
  const methods = new Set<string>();
  for (const route of app.routes) {
    if (route.method !== 'ALL' && matchesPattern(route.path, path)) methods.add(route.method);
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].toSorted();
}

function matchesPattern(pattern: string, path: string): boolean {
  const expected = pattern.split('/');
  const actual = path.split('/');
  return (
    expected.length === actual.length &&
    expected.every((segment, index) => segment.startsWith(':') || segment === actual[index])
  );
}
