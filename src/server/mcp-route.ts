import type { IncomingMessage, ServerResponse } from 'node:http';
import { gatewayInstance } from '../core/mcp-protocol.ts';
import type { InternalSignalbox } from '../signalbox/internal-signalbox.ts';
import type { HttpAsk, HttpReply } from '../surfaces/mcp/http/http-types.ts';
import { McpHttp } from '../surfaces/mcp/http/http-handler.ts';
import { isSseRequest } from '../surfaces/mcp/http/sse-transport.ts';
import type { Peer } from '../surfaces/mcp/requests/request-context.ts';
import { McpEndpoint, type McpEndpointOptions } from '../surfaces/mcp/mcp-endpoint.ts';
import type { SeenClient } from '../surfaces/mcp/protocol/client-info.ts';
import { type RequestId, WireError, errorText, wireCodes } from '../surfaces/mcp/protocol/wire-messages.ts';
import { jsonType } from '../surfaces/mcp/http/request-body.ts';
import type { BearerTokens } from './access/bearer-tokens.ts';
import { challenge } from './access/challenge.ts';
import { assertHostAndOrigin } from './access/hosts.ts';
import type { Identity } from './access/identity.ts';
import { may } from './access/may.ts';
import { type OAuthAccess, type Resource, metadataAddress } from './access/oauth/oauth-access.ts';
import { isSignedToken } from './access/oauth/verify-token.ts';
import type { Admission } from './admission.ts';
import { bodyBytes } from './admit.ts';
import { readText, textOf } from './json-body.ts';
import type { ProblemCode } from './problems/codes.ts';
import { problemOf } from './problems/problem-of.ts';
import { Problem, problemType } from './problems/problem.ts';
import { securityHeaders } from './security-headers.ts';

/** What the MCP endpoint is served with. */
export interface McpRouteParts extends Pick<McpEndpointOptions, 'inbox' | 'approvalWaitMs'> {
  readonly box: InternalSignalbox;
  readonly maxBodyBytes: number;
  readonly allowedHosts: () => ReadonlySet<string>;
  readonly bearers: BearerTokens;
  readonly oauth: OAuthAccess;
  readonly admission: Admission;
  readonly log: (line: string) => void;
}

/** The MCP endpoint beside the other routes: its clients send small messages in large numbers. */
export interface McpRoute {
  /** Takes a request, if it is for the endpoint. */
  take(request: IncomingMessage, response: ServerResponse): boolean;
  /** Whether requests for that address may be served with their body. */
  isFor(url: string): boolean;
  /** Serves a request whose body was read already. */
  serve(request: HttpAsk, response: HttpReply, body: Buffer): void;
  /** The clients that were heard of not long ago, the latest first. */
  clients(): readonly SeenClient[];
  /** Ends the streams of those who only listen. */
  stopListening(): void;
  close(): void;
}

/** A request, for the profile that its address names. */
interface Asked {
  readonly request: HttpAsk;
  readonly response: HttpReply;
  readonly named: string | undefined;
}

interface NodeAsked extends Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Who was let in, or is to be refused. */
interface LetIn {
  readonly identity: Identity;
  readonly peer: Peer;
  readonly refused: Problem | undefined;
}

/** Room for a request, or why there is none for a call. */
interface Place {
  leave?(): void;
  readonly refused?: Problem;
}

const smallBody = 64 * 1024;
/** Problems that are told as JSON-RPC errors with these codes: clients of MCP look for nothing else. */
const replyCodes: ReadonlyMap<ProblemCode, number> = new Map([
  ['calls-exhausted', wireCodes.server],
  ['overloaded', wireCodes.server],
  ['box-closed', wireCodes.server],
  ['body-malformed', wireCodes.parse],
]);

/** Clients of the HTTP+SSE transport connect to `/sse` by convention. They are served at `/mcp` too. */
const address = /^\/(?:mcp|sse)(?:\/([^/?]+))?\/?(?:\?|$)/;

/** Serves `/mcp`, `/sse` and both with a profile (`/mcp/{profile}`) behind the same guards as every other route. */
export function mcpRoute(parts: McpRouteParts): McpRoute {
  const { box, log, oauth } = parts;
  const endpoint = new McpEndpoint({ ...parts, box, shared: box.shared });
  const http = new McpHttp({ endpoint, log });
  /** By the hosts that were ours then. The headers of a connection that says the same again are the same object, and so is their address. */
  const goodHeads = new WeakMap<HttpAsk['headers'], ReadonlySet<string>>();

  async function serve(asked: NodeAsked): Promise<void> {
    const { request, response, named } = asked;
    let place: Place | undefined;
    try {
      assertHostAndOrigin(request, parts.allowedHosts());
      const identity = parts.bearers.recognise(request, response) ?? (await identify(asked));
      const peer = peerOf(identity, named);
      if (request.method === 'POST') place = letIn(request, identity);
      const body = request.method === 'POST' ? await readBody(request, parts.maxBodyBytes) : '';
      await handle(asked, { identity, peer, refused: place?.refused }, body);
    } catch (error) {
      fail(asked, error);
    } finally {
      place?.leave?.();
    }
  }

  /** The same for a body that is there: without a promise, where whoever asks was recognised. */
  function serveRead(asked: Asked, body: Buffer): void {
    const { request, response } = asked;
    try {
      if (goodHeads.get(request.headers) !== parts.allowedHosts()) {
        assertHostAndOrigin(request, parts.allowedHosts());
        goodHeads.set(request.headers, parts.allowedHosts());
      }
      const identity = parts.bearers.recognise(request, response);
      if (identity === undefined)
        identify(asked).then(
          (known) => serveFor(asked, known, body),
          (error: unknown) => fail(asked, error),
        );
      else serveFor(asked, identity, body);
    } catch (error) {
      fail(asked, error);
    }
  }

  function serveFor(asked: Asked, identity: Identity, body: Buffer): void {
    let place: Place | undefined;
    try {
      const peer = peerOf(identity, asked.named);
      place = letIn(asked.request, identity);
      assertJson(asked.request);
      const handling = handle(asked, { identity, peer, refused: place.refused }, textOf(body));
      if (handling === undefined) place.leave?.();
      else void handling.then(place.leave);
    } catch (error) {
      place?.leave?.();
      fail(asked, error);
    }
  }

  function peerOf(identity: Identity, named: string | undefined): Peer {
    assertCaller(identity);
    const view = endpoint.view(profileOf(identity, named));
    if (view.trustsHuman) assertTrusted(identity);
    // Whoever holds the token may be a person: what comes over MCP is an agent's doing all the same.
    return { principal: { ...identity.principal, kind: 'agent' }, view };
  }

  function handle({ request, response }: Asked, whom: LetIn, body: string): Promise<void> | undefined {
    const { identity, peer, refused } = whom;
    const refuse = refused && ((id: RequestId | null) => answer(response, refused, id));
    const mayReturn = (): Promise<boolean> => parts.bearers.isStillGood(identity);
    return http.handle({ request, response, peer, body, mayReturn, refuse });
  }

  function fail({ request, response, named }: Asked, error: unknown): void {
    const problem = problemOf(error, log);
    // Only those whose host was found to be ours are told the way.
    const isDirected = oauth.isOn && problem.headers['WWW-Authenticate'] !== undefined;
    answer(response, isDirected ? directed(problem, oauth.direction(resourceOf(request, named))) : problem);
  }

  /**
   * What a session's client answers to our questions ends calls and begins none: where there is no room, a small message of a
   * session is read all the same, and refused only if it turns out to be a request.
   */
  function letIn(request: HttpAsk, { principal }: Identity): Place {
    try {
      return { leave: parts.admission.enter(principal.id, bodyBytes(request, parts.maxBodyBytes)) };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { 'mcp-session-id': session, 'content-length': length } = request.headers;
      if ((session === undefined && !isSseRequest(request)) || !(Number(length) <= smallBody)) throw error;
      return { refused: error };
    }
  }

  /** Programs come with a token: a page that a browser shows is no client of MCP, whatever cookie it sends along. */
  function identify({ request, response, named }: Asked): Promise<Identity> {
    if (request.headers.authorization === undefined)
      throw new Problem(
        'token-missing',
        'send "Authorization: Bearer …" with a token; signalbox token create makes one',
        { headers: { 'WWW-Authenticate': challenge() } },
      );
    return parts.bearers.identify(request, response, (presented) =>
      oauth.isOn && isSignedToken(presented) ? oauth.identify(presented, resourceOf(request, named)) : undefined,
    );
  }

  function resourceOf({ headers }: HttpAsk, profile: string | undefined): Resource {
    return { origin: oauth.originFor(headers.host ?? ''), profile };
  }

  /** Tells whoever asks, with or without a token, where tokens come from. */
  function serveMetadata(request: IncomingMessage, response: ServerResponse, named: string | undefined): void {
    try {
      assertHostAndOrigin(request, parts.allowedHosts());
      if (request.method !== 'GET' && request.method !== 'HEAD')
        throw new Problem('method-refused', 'this route takes GET', { headers: { Allow: 'GET, HEAD' } });
      const text = JSON.stringify(oauth.metadata(resourceOf(request, named)));
      response.writeHead(200, { ...securityHeaders, 'Content-Type': 'application/json' }).end(text);
    } catch (error) {
      answer(response, problemOf(error, log));
    }
  }

  return {
    take(request, response) {
      const match = address.exec(request.url ?? '');
      if (match !== null) {
        void serve({ request, response, named: decodeName(match[1]) });
        return true;
      }
      const metadata = metadataAddress.exec(request.url ?? '');
      if (metadata === null || !oauth.isOn) return false;
      serveMetadata(request, response, decodeName(metadata[1]));
      return true;
    },
    isFor: (url) => address.test(url),
    serve(request, response, body) {
      const named = decodeName(address.exec(request.url ?? '')?.[1]);
      serveRead({ request, response, named }, body);
    },
    clients: () => http.clients(),
    stopListening: () => http.stopListening(),
    close() {
      http.close();
      endpoint.close();
    },
  };
}

/** Whoever is bound to a profile gets that one, and no other. */
function profileOf({ profile }: Identity, named: string | undefined): string | undefined {
  if (profile === undefined || named === undefined || named === profile) return profile ?? named;
  throw new Problem('route-unknown', `the token is bound to the profile ${JSON.stringify(profile)}: use /mcp`);
}

function assertCaller({ role }: Identity): void {
  if (may.call.some((one) => one === role)) return;
  throw new Problem(
    'role-refused',
    `a client of MCP calls tools, and the role ${role} does not; signalbox token create --role agent makes a token that may`,
  );
}

/** A client may answer by itself: that its answers count as a human's must be meant for this very token. */
function assertTrusted({ role, profile }: Identity): void {
  if (role === 'admin' || profile !== undefined) return;
  throw new Problem(
    'role-refused',
    'what clients of this profile answer counts as a human’s answer; signalbox token create --role agent --profile makes a token that is bound to it',
  );
}

function decodeName(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return text;
  }
}

function readBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  assertJson(request);
  return readText(request, maxBytes);
}

function assertJson({ headers }: HttpAsk): void {
  if (!jsonType.test(headers['content-type'] ?? ''))
    throw new Problem('body-type-unsupported', 'send the body as JSON, with "Content-Type: application/json"');
}

/** Adds to a refusal the way to a token that would be good. */
function directed(problem: Problem, direction: Readonly<Record<string, string>>): Problem {
  const { 'WWW-Authenticate': said = challenge(), ...headers } = problem.headers;
  const more = Object.entries(direction).filter(([name]) => !said.includes(`${name}=`));
  const whole = [said, ...more.map(([name, value]) => `${name}="${value}"`)].join(', ');
  return new Problem(problem.code, problem.message, { headers: { ...headers, 'WWW-Authenticate': whole } });
}

function answer(response: HttpReply, problem: Problem, id: RequestId | null = null): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const code = replyCodes.get(problem.code);
  const own = {
    [gatewayInstance.header]: gatewayInstance.id,
    'Content-Type': code === undefined ? problemType : 'application/json',
  };
  const headers = Object.entries({ ...securityHeaders, ...problem.headers, ...own }).flat();
  const told =
    code === undefined
      ? JSON.stringify(problem.document())
      : errorText(id, new WireError(code, problem.message, { code: problem.code }));
  response.writeHead(problem.status, headers).end(told);
}
