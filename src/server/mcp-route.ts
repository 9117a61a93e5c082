import type { IncomingMessage, ServerResponse } from 'node:http';
import { instance } from '../model/instance.ts';
import type { Principal } from '../model/principal.ts';
import type { Signalbox } from '../signalbox.ts';
import { McpHttp } from '../surfaces/mcp/endpoint/http/mcp-http.ts';
import { McpEndpoint, type McpEndpointOptions } from '../surfaces/mcp/endpoint/mcp-endpoint.ts';
import type { SeenClient } from '../surfaces/mcp/endpoint/seen-client.ts';
import type { BearerTokens } from './access/bearer-tokens.ts';
import { challenge } from './access/challenge.ts';
import { assertHostAndOrigin } from './access/hosts.ts';
import type { Identity } from './access/identity.ts';
import { may } from './access/may.ts';
import { type OAuthAccess, type Resource, metadataAddress } from './access/oauth/oauth-access.ts';
import { isSignedToken } from './access/oauth/verify-token.ts';
import { jsonType, readText } from './json-body.ts';
import { problemOf } from './problems/problem-of.ts';
import { Problem, problemType } from './problems/problem.ts';
import { securityHeaders } from './security-headers.ts';

/** What the MCP endpoint is served with. */
export interface McpRouteParts extends Pick<McpEndpointOptions, 'inbox' | 'approvalWaitMs'> {
  readonly box: Signalbox;
  readonly maxBodyBytes: number;
  readonly allowedHosts: () => ReadonlySet<string>;
  readonly bearers: BearerTokens;
  readonly oauth: OAuthAccess;
  readonly log: (line: string) => void;
}

/** The MCP endpoint beside the other routes: its clients send small messages in large numbers. */
export interface McpRoute {
  /** Takes a request, if it is for the endpoint. */
  take(request: IncomingMessage, response: ServerResponse): boolean;
  /** The clients that were heard of not long ago, the latest first. */
  clients(): readonly SeenClient[];
  /** Ends the streams of those who only listen. */
  stopListening(): void;
  close(): void;
}

const address = /^\/mcp(?:\/([^/?]+))?\/?(?:\?|$)/;

/** Serves `/mcp` and `/mcp/{profile}` behind the same guards as every other route. */
export function mcpRoute(parts: McpRouteParts): McpRoute {
  const { box, log, oauth } = parts;
  const endpoint = new McpEndpoint({ ...parts, box });
  const http = new McpHttp({ endpoint, log });

  async function serve(request: IncomingMessage, response: ServerResponse, named: string | undefined): Promise<void> {
    const resource = resourceOf(request, named);
    try {
      assertHostAndOrigin(request, parts.allowedHosts());
      const identity = await identify(request, response, resource);
      const view = endpoint.view(profileOf(identity, named));
      if (view.trustsHuman) assertTrusted(identity);
      const body = request.method === 'POST' ? await readBody(request, parts.maxBodyBytes) : '';
      // Whoever holds the token may be a person: what comes over MCP is an agent's doing all the same.
      const principal: Principal = { id: identity.principal.id, kind: 'agent' };
      const mayReturn = (): Promise<boolean> => parts.bearers.isStillGood(identity);
      await http.handle({ request, response, peer: { principal, view }, body, mayReturn });
    } catch (error) {
      const problem = problemOf(error, log);
      // Only those whose host was found to be ours are told the way.
      const isDirected = oauth.isOn && problem.headers['WWW-Authenticate'] !== undefined;
      answer(response, isDirected ? directed(problem, oauth.direction(resource)) : problem);
    }
  }

  /** Programs come with a token: a page that a browser shows is no client of MCP, whatever cookie it sends along. */
  async function identify(request: IncomingMessage, response: ServerResponse, resource: Resource): Promise<Identity> {
    if (request.headers.authorization === undefined)
      throw new Problem(
        'token-missing',
        'send "Authorization: Bearer …" with a token; signalbox token create makes one',
        { headers: { 'WWW-Authenticate': challenge() } },
      );
    const identity = await parts.bearers.identify(request, response, (presented) =>
      oauth.isOn && isSignedToken(presented) ? oauth.identify(presented, resource) : undefined,
    );
    if (may.call.some((role) => role === identity.role)) return identity;
    throw new Problem(
      'role-refused',
      `a client of MCP calls tools, and the role ${identity.role} does not; signalbox token create --role agent makes a token that may`,
    );
  }

  function resourceOf({ headers }: IncomingMessage, profile: string | undefined): Resource {
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
        void serve(request, response, decodeName(match[1]));
        return true;
      }
      const metadata = metadataAddress.exec(request.url ?? '');
      if (metadata === null || !oauth.isOn) return false;
      serveMetadata(request, response, decodeName(metadata[1]));
      return true;
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
  if (!jsonType.test(request.headers['content-type'] ?? ''))
    throw new Problem('body-type-unsupported', 'send the body as JSON, with "Content-Type: application/json"');
  return readText(request, maxBytes);
}

/** Adds to a refusal the way to a token that would be good. */
function directed(problem: Problem, direction: Readonly<Record<string, string>>): Problem {
  const { 'WWW-Authenticate': said = challenge(), ...headers } = problem.headers;
  const more = Object.entries(direction).filter(([name]) => !said.includes(`${name}=`));
  const whole = [said, ...more.map(([name, value]) => `${name}="${value}"`)].join(', ');
  return new Problem(problem.code, problem.message, { headers: { ...headers, 'WWW-Authenticate': whole } });
}

function answer(response: ServerResponse, problem: Problem): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const own = { [instance.header]: instance.id, 'Content-Type': problemType };
  const headers = { ...securityHeaders, ...problem.headers, ...own };
  response.writeHead(problem.status, headers).end(JSON.stringify(problem.document()));
}
