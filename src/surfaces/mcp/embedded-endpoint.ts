import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { Peer } from './requests/request-context.ts';
import type { McpBox } from './mcp-box.ts';
import { isAddressedTo, isSameOrigin } from './http/host-check.ts';
import { McpHttpHandler } from './http/http-handler.ts';
import { type EndpointOptions, McpEndpoint } from './mcp-endpoint.ts';
import { serveStdio } from './stdio/serve-stdio.ts';
import { toWireError } from './protocol/to-wire-error.ts';
import { Refusal, errorText, wireCodes } from './protocol/wire-messages.ts';
import { readRequestBody } from './http/request-body.ts';

/** Options of `mcpEndpoint`. */
export interface McpEndpointOptions {
  /** The host names that clients may use (`Host`, with or without a port). Default: the names of the local machine. */
  readonly allowedHosts?: readonly string[];
  /** The address where people approve calls, shown to clients whose calls wait. */
  readonly inbox?: string;
  /** The time for which a call waits for a human before it ends as `awaiting-approval` (default 50 s). */
  readonly approvalWaitMs?: number;
  /** The largest accepted body (default 8 MB). */
  readonly maxBodyBytes?: number;
  /** Logs internal errors. Default: standard error. */
  log?(line: string): void;
}

/** The caller of a connection, as your server authenticated it. */
export interface McpCaller {
  /** The id that its calls are decided and recorded under. Calls over MCP always count as those of an agent. */
  readonly principal: string;
  /** The profile of the catalog that it sees. Default: the whole catalog. */
  readonly profile?: string;
  /** Required for a profile with `trustsHuman`, where the client’s answers count as a human’s. */
  readonly trusted?: boolean;
}

/** A client on standard input and output, or on any other pair of streams. */
export interface McpPipe extends McpCaller {
  /** Default: standard input. */
  readonly input?: Readable;
  /** Default: standard output. */
  readonly output?: Writable;
  /** Ends the connection before the input ends. */
  readonly signal?: AbortSignal;
  /** Requests for tools wait until this resolves, such as for servers that are starting. */
  readonly ready?: Promise<unknown>;
}

/** An MCP endpoint embedded in a server of your own. */
export interface EmbeddedMcpEndpoint {
  /** Serves a request of streamable HTTP, in any revision. Pass `body` if a framework has already read it. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse, caller: McpCaller, body?: unknown): Promise<void>;
  /** Serves one client over a pair of streams until the input ends. */
  stdio(pipe: McpPipe): Promise<void>;
  /** Ends all sessions. The box stays open. */
  close(): void;
}

const defaultMaxBodyBytes = 8 * 1024 * 1024;
const graceMs = 5000;
const localHosts = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Offers the tools of a box to MCP clients from a server of your own. Your server authenticates the callers. The endpoint refuses
 * requests to hosts that are not allowed, and requests from web pages of other origins.
 *
 * @example
 * const mcp = mcpEndpoint(box);
 * app.all('/mcp', (request, response) => mcp.handle(request, response, { principal: userOf(request) }, request.body));
 */
export function mcpEndpoint(box: McpBox, options: McpEndpointOptions = {}): EmbeddedMcpEndpoint {
  const { inbox, approvalWaitMs, maxBodyBytes = defaultMaxBodyBytes, allowedHosts = localHosts } = options;
  const log = options.log ?? ((line: string) => console.error(line));
  // Present in every box of `createSignalbox`, and internal: processes with the same store share the sessions of MCP clients.
  const { shared } = box as McpBox & Pick<EndpointOptions, 'shared'>;
  const endpoint = new McpEndpoint({
    box,
    ...omitUndefined({ inbox: inbox === undefined ? undefined : () => inbox, approvalWaitMs, shared }),
  });
  const http = new McpHttpHandler({ endpoint, log });
  const hosts = new Set(allowedHosts.map((name) => name.toLowerCase()));

  const peerOf = ({ principal, profile, trusted }: McpCaller): Peer => {
    const view = endpoint.view(profile);
    if (view.trustsHuman && trusted !== true)
      throw new Refusal(
        403,
        wireCodes.request,
        'this profile accepts the client’s answers as a human’s; only a trusted caller may use it',
      );
    return { principal: { id: principal, kind: 'agent' }, view };
  };
  const assertHostAndOrigin = (request: IncomingMessage): void => {
    if (!isAddressedTo(request, (host) => hosts.has(host) || hosts.has(host.replace(/:\d+$/, ''))))
      throw new Refusal(403, wireCodes.request, 'this host is not in allowedHosts');
    if (!isSameOrigin(request)) throw new Refusal(403, wireCodes.request, 'a page of another origin made this request');
  };

  return {
    async handle(request, response, caller, body) {
      try {
        assertHostAndOrigin(request);
        const peer = peerOf(caller);
        const text = request.method === 'POST' ? await readRequestBody(request, body, maxBodyBytes) : '';
        await http.handle({ request, response, peer, body: text, mayReturn: () => Promise.resolve(true) });
      } catch (error) {
        const wireError = toWireError(error, log);
        const status = wireError instanceof Refusal ? wireError.status : 400;
        if (response.headersSent) response.destroy();
        else response.writeHead(status, { 'Content-Type': 'application/json' }).end(errorText(null, wireError));
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
