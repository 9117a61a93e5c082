import type { IncomingMessage, ServerResponse } from 'node:http';
import { RequestError, getRequestListener } from '@hono/node-server';
import { type AppParts, createApp } from './app.ts';
import { problemOf } from './problems/problem-of.ts';
import { Problem, problemType } from './problems/problem.ts';
import { securityHeaders } from './security-headers.ts';

/** Takes a request and answers it. */
export type AppListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The routes as Node's server calls them. */
export function appListener(parts: AppParts): AppListener {
  const listener = getRequestListener(createApp(parts).fetch, {
    // This process may be somebody else's, who wants the globals as they are.
    overrideGlobalObjects: false,
    errorHandler: (error) => unreadable(error, parts.log),
  });
  return async (request, response) => {
    await listener(request, response);
  };
}

/** A request that does not even make it to the routes. */
function unreadable(error: unknown, log: (line: string) => void): Response {
  // The signal of a request is aborted with a text: whoever hung up is told nothing, and it is no fault of ours.
  const refused = error instanceof RequestError ? error.message : typeof error === 'string' ? error : undefined;
  const problem = refused === undefined ? problemOf(error, log) : new Problem('request-malformed', refused);
  return new Response(JSON.stringify(problem.document()), {
    status: problem.status,
    headers: { ...securityHeaders, 'Content-Type': problemType },
  });
}
