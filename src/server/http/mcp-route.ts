import type { IncomingMessage, ServerResponse } from 'node:http';
import { gatewayInstance } from '../../core/mcp-protocol.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import type { HttpRequestHead, HttpResponse } from '../../surfaces/mcp/http/http-types.ts';
import { McpHttpHandler } from '../../surfaces/mcp/http/http-handler.ts';
import { isSseRequest } from '../../surfaces/mcp/http/sse-transport.ts';
import type { Peer } from '../../surfaces/mcp/requests/request-context.ts';
import { type EndpointOptions, McpEndpoint } from '../../surfaces/mcp/mcp-endpoint.ts';
import type { RecentClient } from '../../surfaces/mcp/protocol/client-info.ts';
import { type RequestId, WireError, errorText, wireCodes } from '../../surfaces/mcp/protocol/wire-messages.ts';
import { jsonContentType } from '../../surfaces/mcp/http/request-body.ts';
import type { BearerTokens } from '../access/tokens/bearer-tokens.ts';
import { tokenChallenge } from '../access/tokens/token-challenge.ts';
import { assertHostAndOrigin } from '../access/allowed-hosts.ts';
import type { Identity } from '../access/identity.ts';
import { routeRoles } from '../access/route-roles.ts';
import { type OAuthAccess, type Resource, metadataPathPattern } from '../access/oauth/oauth-access.ts';
import { isJwt } from '../access/oauth/verify-jwt.ts';
import { type Admission, expectedBodyBytes } from './admission.ts';
import { decodeUtf8, readBodyText } from './json-body.ts';
import type { ProblemCode } from '../problems/problem-codes.ts';
import { toProblem } from '../problems/to-problem.ts';
import { Problem, problemType } from '../problems/problem.ts';
import { securityHeaders } from './security-headers.ts';

/** Options of `createMcpRoute`. */
interface McpRouteOptions extends Pick<EndpointOptions, 'inbox' | 'approvalWaitMs'> {
  readonly box: InternalSignalbox;
  readonly maxBodyBytes: number;
  readonly allowedHosts: () => ReadonlySet<string>;
  readonly bearers: BearerTokens;
  readonly oauth: OAuthAccess;
  readonly admission: Admission;
  readonly log: (line: string) => void;
}

/** The MCP endpoint. It is not a Hono route, because its clients send small messages in large numbers. */
interface McpRoute {
  /** Serves a request that Node parsed. Returns `false` when its URL is not one of the endpoint. */
  serveNodeRequest(request: IncomingMessage, response: ServerResponse): boolean;
  /** Returns whether the endpoint serves this URL. */
  isHandled(url: string): boolean;
  /** Serves a request whose body was read. */
  serve(request: HttpRequestHead, response: HttpResponse, body: Buffer): void;
  /** Returns the recently active clients, the latest first. */
  clients(): readonly RecentClient[];
  /** Ends the streams on which clients only listen. */
  stopListening(): void;
  /** Ends the calls in progress, whose callers still get a response. */
  endCalls(): void;
  close(): void;
}

/** A request, and the profile in its URL. */
interface McpExchange {
  readonly request: HttpRequestHead;
  readonly response: HttpResponse;
  readonly profile: string | undefined;
}

/** The body of a request, or a function that reads it. */
type BodySource = Buffer | (() => Promise<string>);

/** The result of admission. With `refused`, only answers to the gateway's own questions are served. */
interface Admitted {
  readonly leave?: () => void;
  readonly refused?: Problem;
}

const maxUnadmittedBodyBytes = 64 * 1024;
/** Problems that are sent as JSON-RPC errors with these codes, because MCP clients do not read problem documents. */
const rpcErrorCodes: ReadonlyMap<ProblemCode, number> = new Map([
  ['calls-exhausted', wireCodes.server],
  ['overloaded', wireCodes.server],
  ['box-closed', wireCodes.server],
  ['body-malformed', wireCodes.parse],
]);

/** Clients of the HTTP+SSE transport connect to `/sse` by convention. `/mcp` serves that transport too. */
const endpointPath = /^\/(?:mcp|sse)(?:\/([^/?]+))?\/?(?:\?|$)/;

/** Creates the route of `/mcp`, `/sse` and both with a profile (`/mcp/{profile}`), with the access checks of every other route. */
export function createMcpRoute(options: McpRouteOptions): McpRoute {
  const { box, log, oauth, bearers, maxBodyBytes } = options;
  const endpoint = new McpEndpoint({ ...options, box, shared: box.shared });
  const http = new McpHttpHandler({ endpoint, log });
  /** The allowed hosts that headers were checked against. A fast connection reuses the headers object while the head does not change. */
  const checkedHeaders = new WeakMap<HttpRequestHead['headers'], ReadonlySet<string>>();

  /** Serves a request, synchronously if its body was read and the token of its connection is cached. */
  function serve(exchange: McpExchange, body: BodySource): void {
    const { request, response } = exchange;
    try {
      const hosts = options.allowedHosts();
      if (checkedHeaders.get(request.headers) !== hosts) {
        assertHostAndOrigin(request, hosts);
        if (typeof body !== 'function') checkedHeaders.set(request.headers, hosts);
      }
      const identity = bearers.cachedIdentity(request, response);
      if (identity === undefined)
        identify(exchange).then(
          (identified) => serveCaller(exchange, identified, body),
          (error: unknown) => fail(exchange, error),
        );
      else serveCaller(exchange, identity, body);
    } catch (error) {
      fail(exchange, error);
    }
  }

  function serveCaller(exchange: McpExchange, identity: Identity, body: BodySource): void {
    const { request } = exchange;
    let admitted: Admitted | undefined;
    try {
      const peer = peerOf(identity, exchange.profile);
      if (request.method === 'POST') {
        admitted = admit(request, identity);
        assertJson(request);
      }
      const { leave, refused } = admitted ?? {};
      const handling =
        typeof body !== 'function'
          ? handle(exchange, identity, peer, decodeUtf8(body), refused)
          : admitted === undefined
            ? handle(exchange, identity, peer, '', undefined)
            : body().then((text) => handle(exchange, identity, peer, text, refused));
      if (handling === undefined) leave?.();
      else
        handling.then(leave, (error: unknown) => {
          leave?.();
          fail(exchange, error);
        });
    } catch (error) {
      admitted?.leave?.();
      fail(exchange, error);
    }
  }

  function peerOf(identity: Identity, profile: string | undefined): Peer {
    assertCaller(identity);
    const view = endpoint.view(allowedProfile(identity, profile));
    if (view.trustsHuman) assertTrusted(identity);
    // A person may hold the token, but calls over MCP are always made by an agent.
    return { principal: { ...identity.principal, kind: 'agent' }, view };
  }

  function handle(
    { request, response }: McpExchange,
    identity: Identity,
    peer: Peer,
    body: string,
    refused: Problem | undefined,
  ): Promise<void> | undefined {
    const refuse = refused && ((id: RequestId | null) => sendProblem(response, refused, id));
    const mayReturn = (): Promise<boolean> => bearers.isStillValid(identity);
    return http.handle({ request, response, peer, body, mayReturn, refuse });
  }

  function fail({ request, response, profile }: McpExchange, error: unknown): void {
    const problem = toProblem(error, log);
    // A problem has a challenge only after the host was checked, so the URLs in the challenge are of this server.
    const isChallenge = oauth.isOn && problem.headers['WWW-Authenticate'] !== undefined;
    sendProblem(
      response,
      isChallenge ? withAuthorization(problem, oauth.challengeParameters(resourceOf(request, profile))) : problem,
    );
  }

  /**
   * Admits a POST. Answers of a client to questions of the gateway end calls and start none. So when there is no room, a small
   * message of a session is still read, and refused only if it is a request.
   */
  function admit(request: HttpRequestHead, { principal }: Identity): Admitted {
    try {
      return { leave: options.admission.enter(principal.id, expectedBodyBytes(request, maxBodyBytes)) };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { 'mcp-session-id': session, 'content-length': length } = request.headers;
      const isInSession = session !== undefined || isSseRequest(request);
      if (!isInSession || !(Number(length) <= maxUnadmittedBodyBytes)) throw error;
      return { refused: error };
    }
  }

  /** Identifies the caller by its token only. The cookie of a browser is ignored: a page is not an MCP client. */
  function identify({ request, response, profile }: McpExchange): Promise<Identity> {
    if (request.headers.authorization === undefined)
      throw new Problem(
        'token-missing',
        'send "Authorization: Bearer …" with a token; "signalbox token create" creates one',
        { headers: { 'WWW-Authenticate': tokenChallenge() } },
      );
    return bearers.identify(request, response, (presented) =>
      oauth.isOn && isJwt(presented) ? oauth.identify(presented, resourceOf(request, profile)) : undefined,
    );
  }

  function resourceOf({ headers }: HttpRequestHead, profile: string | undefined): Resource {
    return { origin: oauth.originFor(headers.host ?? ''), profile };
  }

  /** Serves the protected resource metadata (RFC 9728), which needs no token. */
  function serveMetadata(request: IncomingMessage, response: ServerResponse, profile: string | undefined): void {
    try {
      assertHostAndOrigin(request, options.allowedHosts());
      if (request.method !== 'GET' && request.method !== 'HEAD')
        throw new Problem('method-refused', 'this route accepts GET', { headers: { Allow: 'GET, HEAD' } });
      const text = JSON.stringify(oauth.metadata(resourceOf(request, profile)));
      response.writeHead(200, { ...securityHeaders, 'Content-Type': 'application/json' }).end(text);
    } catch (error) {
      sendProblem(response, toProblem(error, log));
    }
  }

  return {
    serveNodeRequest(request, response) {
      const match = endpointPath.exec(request.url ?? '');
      if (match !== null) {
        serve({ request, response, profile: decodeName(match[1]) }, () => readBodyText(request, maxBodyBytes));
        return true;
      }
      const metadata = metadataPathPattern.exec(request.url ?? '');
      if (metadata === null || !oauth.isOn) return false;
      serveMetadata(request, response, decodeName(metadata[1]));
      return true;
    },
    isHandled: (url) => endpointPath.test(url),
    serve(request, response, body) {
      serve({ request, response, profile: decodeName(endpointPath.exec(request.url ?? '')?.[1]) }, body);
    },
    clients: () => http.clients(),
    stopListening: () => http.stopListening(),
    endCalls: () => http.endCalls(),
    close() {
      http.close();
      endpoint.close();
    },
  };
}

/** Returns the profile that a caller gets: the one that its token is bound to, or the one in the URL. */
function allowedProfile({ profile }: Identity, requested: string | undefined): string | undefined {
  if (profile === undefined || requested === undefined || requested === profile) return profile ?? requested;
  throw new Problem('route-unknown', `the token is bound to the profile ${JSON.stringify(profile)}: use /mcp`);
}

function assertCaller({ role }: Identity): void {
  if (routeRoles.call.some((allowed) => allowed === role)) return;
  throw new Problem(
    'role-refused',
    `MCP clients call tools, and the role ${role} cannot; "signalbox token create --role agent" creates a token that can`,
  );
}

/** Refuses tokens that are not bound to a profile whose clients answer as a human: that trust must be given to one token. */
function assertTrusted({ role, profile }: Identity): void {
  if (role === 'admin' || profile !== undefined) return;
  throw new Problem(
    'role-refused',
    'answers of clients of this profile count as answers of a human; "signalbox token create --role agent --profile" creates a token that is bound to it',
  );
}

function decodeName(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return text;
  }
}

function assertJson({ headers }: HttpRequestHead): void {
  if (!jsonContentType.test(headers['content-type'] ?? ''))
    throw new Problem('body-type-unsupported', 'send the body as JSON, with "Content-Type: application/json"');
}

/** Adds to the challenge of a problem where clients get a token, unless the challenge has these parameters. */
function withAuthorization(problem: Problem, parameters: Readonly<Record<string, string>>): Problem {
  const { 'WWW-Authenticate': challenge = tokenChallenge(), ...headers } = problem.headers;
  const added = Object.entries(parameters).filter(([name]) => !challenge.includes(`${name}=`));
  const complete = [challenge, ...added.map(([name, value]) => `${name}="${value}"`)].join(', ');
  return new Problem(problem.code, problem.message, { headers: { ...headers, 'WWW-Authenticate': complete } });
}

function sendProblem(response: HttpResponse, problem: Problem, id: RequestId | null = null): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const rpcCode = rpcErrorCodes.get(problem.code);
  const contentHeaders = {
    [gatewayInstance.header]: gatewayInstance.id,
    'Content-Type': rpcCode === undefined ? problemType : 'application/json',
  };
  const headers = Object.entries({ ...securityHeaders, ...problem.headers, ...contentHeaders }).flat();
  const text =
    rpcCode === undefined
      ? JSON.stringify(problem.document())
      : errorText(id, new WireError(rpcCode, problem.message, { code: problem.code }));
  response.writeHead(problem.status, headers).end(text);
}
