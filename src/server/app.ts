import { OpenAPIHono } from '@hono/zod-openapi';
import type { Registry } from 'prom-client';
import type { Sessions } from '../sessions/sessions.ts';
import type { InternalSignalbox } from '../signalbox/internal-signalbox.ts';
import type { SeenClient } from '../surfaces/mcp/protocol/client-info.ts';
import { authenticate } from './access/authenticate.ts';
import { type RouteTable, authorize, declaredAccess } from './access/authorize.ts';
import type { BearerTokens } from './access/bearer-tokens.ts';
import type { BrowserSessions } from './access/browser-sessions.ts';
import { checkHostAndOrigin } from './access/hosts.ts';
import { signIn } from './access/sign-in.ts';
import type { SignInCodes } from './access/sign-in-codes.ts';
import type { Admission } from './admission.ts';
import { allowedMethods } from './allowed-methods.ts';
import type { ServerApp, ServerContext, ServerEnvironment } from './environment.ts';
import { LiveEvents } from './live-events.ts';
import { PolicyChecks } from './policy-checks.ts';
import type { ProcessRole } from './process-role.ts';
import { problemOf } from './problems/problem-of.ts';
import { unknownPage } from './pages/unknown.ts';
import { Problem, problemType } from './problems/problem.ts';
import { RedactedSessions } from './redacted-sessions.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { callRoute } from './routes/call.ts';
import { clientRoutes } from './routes/clients.ts';
import { configuredServerRoutes } from './routes/configured-servers.ts';
import { type FindConsole, consolePlaces, consoleRoutes } from './routes/console.ts';
import { contentRoutes } from './routes/content.ts';
import { eventRoutes } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { infoRoutes } from './routes/info.ts';
import { type ServedSchedules, jobRoutes } from './routes/jobs.ts';
import { journalRoutes } from './routes/journal.ts';
import { lockRoutes } from './routes/lock.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { openApiRoutes } from './routes/openapi.ts';
import { pageRoutes } from './routes/pages.ts';
import { policyRoutes } from './routes/policies.ts';
import { resultRoutes } from './routes/results.ts';
import { serverRoutes } from './routes/servers.ts';
import { sessionAnswerRoutes } from './routes/session-answers.ts';
import { sessionEventRoutes } from './routes/session-events.ts';
import { sessionReplayRoutes } from './routes/session-replay.ts';
import { sessionTurnRoutes } from './routes/session-turn.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { settleRoutes } from './routes/settle.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { statisticsRoutes } from './routes/statistics.ts';
import { tokenRoutes } from './routes/tokens.ts';
import { toolRoutes } from './routes/tools.ts';
import { undoRoutes } from './routes/undo.ts';
import { setSecurityHeaders } from './security-headers.ts';
import type { ServedConfiguration } from './served-configuration.ts';
import { ServedSessions } from './served-sessions.ts';
import { EventStreams } from './sse.ts';

/** Everything the routes are made of. */
export interface AppParts {
  readonly box: InternalSignalbox;
  readonly configuration?: ServedConfiguration | undefined;
  readonly registry: Registry;
  readonly codes: SignInCodes;
  readonly browserSessions: BrowserSessions;
  readonly sessions?: Sessions | undefined;
  readonly findConsole?: FindConsole | undefined;
  readonly schedules?: ServedSchedules | undefined;
  readonly startedAt: Date;
  readonly maxBodyBytes: number;
  readonly bearers: BearerTokens;
  /** Not known before the server listens. */
  readonly allowedHosts: () => ReadonlySet<string>;
  readonly url: () => string;
  /** The MCP clients that were heard of not long ago. */
  readonly clients: () => readonly SeenClient[];
  readonly agentTokenFile?: string | undefined;
  readonly role: ProcessRole;
  /** Lets calls in as long as there is room. */
  readonly admission: Admission;
  /** Aborted when new requests should go elsewhere. */
  readonly draining: AbortSignal;
  /** Aborted when the server takes no more requests. */
  readonly stopping: AbortSignal;
  readonly log: (line: string) => void;
}

/** The routes behind their guards. What is registered after `authorize` can be reached only by those whom the route takes. */
export function createApp(parts: AppParts): ServerApp {
  const { box, configuration } = parts;
  const app = new OpenAPIHono<ServerEnvironment>({
    defaultHook(result) {
      if (result.success) return;
      const place = result.target === 'json' ? 'body' : result.target;
      const issues = result.error.issues.map(({ path, message }) => ({ path: [place, ...path].join('.'), message }));
      throw new Problem('request-invalid', issues.map(({ path, message }) => `${path}: ${message}`).join('; '), {
        issues,
      });
    },
  });
  app.onError((error, context) => answer(context, problemOf(error, parts.log)));
  app.notFound((context) => {
    const methods = allowedMethods(app, context.req.path);
    const headers = { Allow: methods.join(', ') };
    const isOpened = context.req.header('sec-fetch-dest') === 'document' && !context.req.path.startsWith('/api/');
    if (methods.length === 0 && isOpened) return context.html(unknownPage(), 404);
    if (methods.length === 0)
      return answer(context, new Problem('route-unknown', 'nothing is served here; the routes are listed at /docs'));
    return answer(context, new Problem('method-refused', `this route takes ${headers.Allow}`, { headers }));
  });

  app.use(setSecurityHeaders, checkHostAndOrigin(parts.allowedHosts));
  healthRoutes(app, box, parts.draining);
  const pages = parts.role === 'worker' ? [] : [...Object.keys(consolePlaces), '/docs'];
  for (const path of pages) app.get(path.replaceAll(/\{(\w+)\}/g, ':$1'), signIn(parts.codes, parts.browserSessions));
  let declared: RouteTable = new Map();
  app.use(authenticate(parts.bearers, parts.browserSessions, () => declared));
  app.use(authorize(() => declared));

  if (parts.role === 'worker') {
    metricsRoutes(app, box, parts.registry);
    declared = declaredAccess(app);
    return app;
  }
  infoRoutes(app, parts);
  clientRoutes(app, parts);
  toolRoutes(app, box);
  callRoute(app, box, parts.sessions, parts.admission, parts.maxBodyBytes, parts.log);
  contentRoutes(app, box, parts.maxBodyBytes);
  approvalRoutes(app, box, parts.maxBodyBytes);
  serverRoutes(app, box, configuration);
  configuredServerRoutes(app, box, configuration, parts.maxBodyBytes);
  lockRoutes(app, box, configuration, parts.maxBodyBytes);
  policyRoutes(app, box, configuration, new PolicyChecks(parts.stopping), parts.maxBodyBytes);
  journalRoutes(app, box);
  statisticsRoutes(app, box);
  undoRoutes(app, box, parts.maxBodyBytes);
  settleRoutes(app, box, parts.maxBodyBytes);
  resultRoutes(app, box);
  tokenRoutes(app, box, parts.maxBodyBytes);
  signInRoutes(app, parts);
  const redacted = new RedactedSessions((text) => box.redactJson(text));
  const streams = new EventStreams({ stopping: parts.stopping, log: parts.log });
  const served = new ServedSessions(parts.sessions, redacted);
  sessionRoutes(app, served, parts.maxBodyBytes);
  sessionTurnRoutes(app, box, served, streams, parts.maxBodyBytes);
  sessionAnswerRoutes(app, served, parts.maxBodyBytes);
  sessionEventRoutes(app, served, streams);
  sessionReplayRoutes(app, box, parts.maxBodyBytes);
  jobRoutes(app, parts.schedules, parts.maxBodyBytes);
  eventRoutes(app, new LiveEvents(box, parts.sessions, redacted), streams);
  metricsRoutes(app, box, parts.registry);
  consoleRoutes(app, parts.findConsole);
  pageRoutes(app, openApiRoutes(app, box.version));
  declared = declaredAccess(app);
  return app;
}

function answer(context: ServerContext, problem: Problem): Response {
  return context.body(JSON.stringify(problem.document()), problem.status, {
    ...problem.headers,
    'Content-Type': problemType,
  });
}
