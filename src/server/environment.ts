import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Principal } from '../model/call.ts';

/** What a request carries through the server besides itself. */
export interface ServerEnvironment {
  Bindings: HttpBindings;
  Variables: {
    /** Who is asking. Set on every route but the open ones. */
    principal: Principal;
  };
}

export type ServerApp = OpenAPIHono<ServerEnvironment>;
export type ServerContext = Context<ServerEnvironment>;
