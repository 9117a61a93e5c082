import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Principal } from '../../core/principal.ts';
import type { Identity } from '../access/identity.ts';

/** What a request carries through the server besides itself. */
export interface ServerEnvironment {
  Bindings: HttpBindings;
  Variables: {
    /** Who is asking, and what they may do. Set on every route but the open ones. */
    identity: Identity;
    /** Who is asking: the principal of the identity. */
    principal: Principal;
  };
}

export type ServerApp = OpenAPIHono<ServerEnvironment>;
export type ServerContext = Context<ServerEnvironment>;
