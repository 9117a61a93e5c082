import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import type { Store } from '../../journal/store/store.ts';
import type { Peer } from './requests/request-context.ts';
import type { EndpointBox } from './endpoint-box.ts';
import { isAddressedTo, isFromOwnPage } from './http/host-check.ts';
import { McpHttp } from './http/http-handler.ts';
import { McpEndpoint } from './mcp-endpoint.ts';
import { serveStdio } from './stdio/serve-stdio.ts';
import { toldError } from './protocol/to-wire-error.ts';
import { Refusal, errorText, wireCodes } from './protocol/wire-messages.ts';
import { bodyOf } from './http/request-body.ts';

/** What an endpoint serves: a Signalbox. Sessions are known to all processes on one store, where there is one. */
export interface McpBox extends EndpointBox {
  readonly shared?: Pick<Store, 'keyValues' | 'pubSub'>;
}

/** How an endpoint is set up. */
export interface McpEndpointOptions {
  /** The names under which clients reach your server (`Host`, with or without a port); those of this machine alone unless given. */
  readonly allowedHosts?: readonly string[];
  /** Where people answer what waits for them: told to whoever must wait. */
  readonly inbox?: string;
  /** How long a call waits for a human before it ends by saying so (50 s). */
  readonly approvalWaitMs?: number;
  /** The largest body that is read (8 MB). */
  readonly maxBodyBytes?: number;
  /** Where faults are told: standard error unless given. */
  log?(line: string): void;
}

/** Who is at the other end of a connection, as your server found out. */
export interface McpCaller {
  /** Under this id the calls are decided and recorded. What comes over MCP is an agent’s doing, whoever it is. */
  readonly principal: string;
  /** What it sees: everything unless given. */
  readonly profile?: string;
  /** Needed for a profile with `trustsHuman`, where what the client answers counts as a human’s answer. */
  readonly trusted?: boolean;
}

/** A client on a pipe. */
export interface McpPipe extends McpCaller {
  /** Standard input unless given. */
  readonly input?: Readable;
  /** Standard output unless given. */
  readonly output?: Writable;
  /** Ends it before its input does. */
  readonly signal?: AbortSignal;
  /** What is asked of tools waits for it: servers that are still coming up. */
  readonly ready?: Promise<unknown>;
}

/** The MCP endpoint in a program of yours. */
export interface EmbeddedMcpEndpoint {
  /** Answers a request of streamable HTTP, in every revision. `body`: what a framework has read of it already. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse, caller: McpCaller, body?: unknown): Promise<void>;
  /** Serves one client on a pipe, until its input ends. */
  stdio(pipe: McpPipe): Promise<void>;
  /** Ends all conversations. The box stays open. */
  close(): void;
}

const usualBodyBytes = 8 * 1024 * 1024;
const graceMs = 5000;
const thisMachine = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The tools of a box for MCP clients, in a server of your own: every call goes through the pipeline. Who is asking is yours to find
 * out; requests to other hosts than the allowed ones, and of pages of other sites, are refused.
 *
 * @example
 * const mcp = mcpEndpoint(box);
 * app.all('/mcp', (request, response) => mcp.handle(request, response, { principal: userOf(request) }, request.body));
 */
export function mcpEndpoint(box: McpBox, options: McpEndpointOptions = {}): EmbeddedMcpEndpoint {
  const { inbox, approvalWaitMs, maxBodyBytes = usualBodyBytes, allowedHosts = thisMachine } = options;
  const log = options.log ?? ((line: string) => console.error(line));
  const endpoint = new McpEndpoint({
    box,
    ...(inbox === undefined ? {} : { inbox: () => inbox }),
    ...(approvalWaitMs === undefined ? {} : { approvalWaitMs }),
    ...(box.shared === undefined ? {} : { shared: box.shared }),
  });
  const http = new McpHttp({ endpoint, log });
  const hosts = new Set(allowedHosts.map((name) => name.toLowerCase()));

  const peerOf = ({ principal, profile, trusted }: McpCaller): Peer => {
    const view = endpoint.view(profile);
    if (view.trustsHuman && trusted !== true)
      throw new Refusal(403, wireCodes.request, 'what clients of this profile answer counts as a human’s answer');
    return { principal: { id: principal, kind: 'agent' }, view };
  };
  const assertOurs = (request: IncomingMessage): void => {
    if (!isAddressedTo(request, (host) => hosts.has(host) || hosts.has(host.replace(/:\d+$/, ''))))
      throw new Refusal(403, wireCodes.request, 'this host is not among the allowed ones (allowedHosts)');
    if (!isFromOwnPage(request))
      throw new Refusal(403, wireCodes.request, 'a page of another site made this request; only pages of this one may');
  };

  return {
    async handle(request, response, caller, body) {
      try {
        assertOurs(request);
        const peer = peerOf(caller);
        const text = request.method === 'POST' ? await bodyOf(request, body, maxBodyBytes) : '';
        await http.handle({ request, response, peer, body: text, mayReturn: () => Promise.resolve(true) });
      } catch (error) {
        const told = toldError(error, log);
        const status = told instanceof Refusal ? told.status : 400;
        if (response.headersSent) response.destroy();
        else response.writeHead(status, { 'Content-Type': 'application/json' }).end(errorText(null, told));
      }
    },
    async stdio({ input = process.stdin, output = process.stdout, signal, ready, ...caller }) {
      await serveStdio({
        endpoint,
        peer: peerOf(caller),
        input,
        output,
        ready,
        signal: signal ?? new AbortController().signal,
        graceMs,
        log,
      });
    },
    close() {
      http.close();
      endpoint.close();
    },
  };
}
