import type { ServerApp } from './environment.ts';

/** Which methods a path takes, by the routes of the app: for the `Allow` header of a 405. */
export function allowedMethods(app: ServerApp, path: string): string[] {
  const methods = new Set<string>();
  for (const route of app.routes) {
    if (route.method !== 'ALL' && matches(route.path, path)) methods.add(route.method);
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].toSorted();
}

function matches(pattern: string, path: string): boolean {
  const expected = pattern.split('/');
  const given = path.split('/');
  return (
    expected.length === given.length &&
    expected.every((segment, index) => segment.startsWith(':') || segment === given[index])
  );
}
