/** A handler as a worker calls it. */
export type ExportedHandler = (args: unknown, context: unknown) => unknown;

/**
 * Finds the handler of a tool among a module's exports: an export itself, or a member of an exported array, record or server.
 * A tool's own name takes precedence over its key.
 */
export function exportedHandler(exports: object, tool: string): ExportedHandler | undefined {
  const entries = candidates(exports);
  const found =
    entries.find(([, value]) => handlerOf(value) !== undefined && property(value, 'name') === tool) ??
    entries.find(([key, value]) => handlerOf(value) !== undefined && key === tool);
  return found && handlerOf(found[1]);
}

function candidates(exports: object): [key: string, value: unknown][] {
  const entries = Object.entries(exports);
  const within = entries.flatMap(([, value]) => members(value).concat(members(property(value, 'tools'))));
  return entries.concat(within);
}

function members(value: unknown): [key: string, value: unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function handlerOf(value: unknown): ExportedHandler | undefined {
  const run = property(value, 'run');
  return typeof run === 'function' ? (args, context) => Reflect.apply(run, value, [args, context]) : undefined;
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
