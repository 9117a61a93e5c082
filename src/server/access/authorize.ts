import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { type Role, roles } from '../../core/principal.ts';
import type { ServerApp, ServerContext, ServerEnvironment } from '../http/server-context.ts';
import { Problem } from '../problems/problem.ts';
import type { Identity } from './identity.ts';

/** The access that a route declares. */
interface DeclaredAccess {
  readonly roles: readonly Role[];
  /** The route serves only pages, their files or documentation, so the cookie of a browser is sufficient. */
  readonly isPage: boolean;
}

/** The declared access of each route, by its method and path. */
export type RouteTable = ReadonlyMap<string, DeclaredAccess>;

const wildcardRoute = 'ALL /*';

/** Collects the access that each route declares. Throws when a route declares none, because every authenticated caller could use it. */
export function collectRouteAccess(app: ServerApp): RouteTable {
  const declared = new Map<string, DeclaredAccess>();
  const open = new Set<string>();
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type !== 'route') continue;
    const { method, path, security, 'x-roles': declaredRoles, 'x-page': page } = definition.route;
    const key = `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
    if (security?.length === 0) open.add(key);
    if (isRoles(declaredRoles)) declared.set(key, { roles: declaredRoles, isPage: page === true });
  }
  for (const { method, path } of app.routes) {
    const key = `${method} ${path}`;
    if (key === wildcardRoute || open.has(key) || declared.has(key)) continue;
    throw new TypeError(`${key} declares no roles; add "x-roles" to the route (see access/route-roles.ts)`);
  }
  return declared;
}

/** Refuses callers whose role the route does not declare. */
export function authorize(declared: () => RouteTable): MiddlewareHandler<ServerEnvironment> {
  return async (context, next) => {
    const route = routeOf(context);
    if (route !== undefined) assertRole(context.var.identity, declared().get(route)?.roles ?? [], route);
    await next();
  };
}

/** Returns the method and path of the matched route. */
export function routeOf(context: ServerContext): string | undefined {
  const names = matchedRoutes(context).map(({ method, path }) => `${method} ${path}`);
  return names.find((name) => name !== wildcardRoute);
}

/** Throws `role-refused` unless the role is one of `allowed`. */
export function assertRole({ role }: Identity, allowed: readonly Role[], action: string): void {
  if (allowed.includes(role)) return;
  const needed = allowed.join(' or ') || 'nobody';
  throw new Problem(
    'role-refused',
    `${action} requires the role ${needed}, and this request has the role ${role}; "signalbox token create --role ${allowed[0] ?? 'admin'}" creates a token that can`,
  );
}

function isRoles(value: unknown): value is readonly Role[] {
  return Array.isArray(value) && value.length > 0 && value.every((role) => roles.includes(role as Role));
}
