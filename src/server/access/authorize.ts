import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { type Role, roles } from '../../core/principal.ts';
import type { ServerApp, ServerContext, ServerEnvironment } from '../environment.ts';
import { Problem } from '../problems/problem.ts';
import type { Identity } from './identity.ts';

/** The access that a route declares. */
interface DeclaredAccess {
  readonly roles: readonly Role[];
  /** Answers with a page, a file of one, or documentation, and never with data: a browser's cookie is enough. */
  readonly isPage: boolean;
}

/** The declared access of each route, by its method and path. */
export type RouteTable = ReadonlyMap<string, DeclaredAccess>;

const everywhere = 'ALL /*';

/** Reads from the routes themselves whom each takes. Throws when one does not say: it would be open to everybody who is let in. */
export function declaredAccess(app: ServerApp): RouteTable {
  const declared = new Map<string, DeclaredAccess>();
  const open = new Set<string>();
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type !== 'route') continue;
    const { method, path, security, 'x-roles': taken, 'x-page': page } = definition.route;
    const key = `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
    if (security?.length === 0) open.add(key);
    if (isRoles(taken)) declared.set(key, { roles: taken, isPage: page === true });
  }
  for (const { method, path } of app.routes) {
    const key = `${method} ${path}`;
    if (key === everywhere || open.has(key) || declared.has(key)) continue;
    throw new TypeError(`${key} does not say which roles it takes; give the route "x-roles" (see may.ts)`);
  }
  return declared;
}

/** Lets through whom the route takes, and nobody else. */
export function authorize(declared: () => RouteTable): MiddlewareHandler<ServerEnvironment> {
  return async (context, next) => {
    const route = routeOf(context);
    if (route !== undefined) assertRole(context.var.identity, declared().get(route)?.roles ?? [], route);
    await next();
  };
}

/** Returns the method and path of the route that takes the request. */
export function routeOf(context: ServerContext): string | undefined {
  const names = matchedRoutes(context).map(({ method, path }) => `${method} ${path}`);
  return names.find((name) => name !== everywhere);
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
