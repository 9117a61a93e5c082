import type { IncomingMessage, ServerResponse } from 'node:http';
import { RequestError, getRequestListener } from '@hono/node-server';
import { type AppOptions, createApp } from '../app.ts';
import { toProblem } from '../problems/to-problem.ts';
import { Problem, problemType } from '../problems/problem.ts';
import { securityHeaders } from './security-headers.ts';

/** Serves a request. */
export type AppListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Creates the request listener that serves the Hono routes. */
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
