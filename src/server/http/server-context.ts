import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Principal } from '../../core/principal.ts';
import type { Identity } from '../access/identity.ts';

/** The Hono environment of a request. */
export interface ServerEnvironment {
  Bindings: HttpBindings;
  Variables: {
    /** The authenticated caller. Set on every route that needs authentication. */
    identity: Identity;
    /** The principal of `identity`. */
    principal: Principal;
    /** The size limit of request bodies. */
    maxBodyBytes: number;
  };
}

export type ServerApp = OpenAPIHono<ServerEnvironment>;
export type ServerContext = Context<ServerEnvironment>;
