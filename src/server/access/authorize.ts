import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { type Role, roles } from '../../model/role.ts';
import type { ServerApp, ServerEnvironment } from '../environment.ts';
import { Problem } from '../problems/problem.ts';
import type { Identity } from './identity.ts';

/** Which roles a route takes, by its method and path. */
export type RolesByRoute = ReadonlyMap<string, readonly Role[]>;

const everywhere = 'ALL /*';

/** Reads from the routes themselves whom each takes. Throws when one does not say: it would be open to everybody who is let in. */
export function declaredRoles(app: ServerApp): RolesByRoute {
  const declared = new Map<string, readonly Role[]>();
  const open = new Set<string>();
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type !== 'route') continue;
    const { method, path, security, 'x-roles': taken } = definition.route;
    const key = `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
    if (security?.length === 0) open.add(key);
    if (isRoles(taken)) declared.set(key, taken);
  }
  for (const { method, path } of app.routes) {
    const key = `${method} ${path}`;
    if (key === everywhere || open.has(key) || declared.has(key)) continue;
    throw new TypeError(`${key} does not say which roles it takes; give the route "x-roles" (see may.ts)`);
  }
  return declared;
}

/** Lets through whom the route takes, and nobody else. */
export function authorize(declared: () => RolesByRoute): MiddlewareHandler<ServerEnvironment> {
  return async (context, next) => {
    const route = matchedRoutes(context).find(({ method, path }) => `${method} ${path}` !== everywhere);
    if (route !== undefined) {
      const { method, path } = route;
      assertRole(context.var.identity, declared().get(`${method} ${path}`) ?? [], `${method} ${path}`);
    }
    await next();
  };
}

/** Refuses those whose role does not allow this. */
export function assertRole({ role }: Identity, allowed: readonly Role[], what: string): void {
  if (allowed.includes(role)) return;
  const needed = allowed.join(' or ') || 'nobody';
  throw new Problem(
    'role-refused',
    `${what} takes the role ${needed}, and this request has the role ${role}; signalbox token create --role ${allowed[0] ?? 'admin'} makes a token that may`,
  );
}

function isRoles(given: unknown): given is readonly Role[] {
  return Array.isArray(given) && given.length > 0 && given.every((role) => roles.includes(role as Role));
}
