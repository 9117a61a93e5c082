import type { MiddlewareHandler } from 'hono';
import type { Admission } from './admission.ts';
import type { HttpAsk } from '../surfaces/mcp/http/http-types.ts';
import type { ServerEnvironment } from './environment.ts';

/** Lets a call in before its body is read, and out when it is answered. */
export function admit(admission: Admission, maxBodyBytes: number): MiddlewareHandler<ServerEnvironment> {
  return async (context, next) => {
    const leave = admission.enter(context.var.principal.id, bodyBytes(context.env.incoming, maxBodyBytes));
    try {
      await next();
    } finally {
      leave();
    }
  };
}

/** How large a body may turn out to be: what does not say so may be as large as any. */
export function bodyBytes({ headers }: HttpAsk, most: number): number {
  const declared = Number(headers['content-length']);
  return declared <= most ? declared : most;
}
