import type { MaybePromise } from '../../core/async/maybe-promise.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { CatalogTool } from '../../catalog/catalog-tool.ts';
import { nameHiddenTool } from '../../catalog/snapshot.ts';
import type { SourceTool } from '../../catalog/source/source.ts';
import { type StartingServer, startingServer } from '../../catalog/startup.ts';
import { type CallOutcome, failedOutcome } from '../../core/calls/call-outcome.ts';
import { closestMatch } from '../../core/text/closest-match.ts';
import { findNamed, parseName } from '../../core/tools/tool-names.ts';
import type { Call, ResolvedCall } from '../call-lifecycle.ts';
import type { Next, Stage } from '../stage.ts';
import { type Waits, endedOutcome } from '../limits/waits.ts';

/** Dependencies of the stage. */
export interface ResolveParts {
  readonly catalog: Catalog;
  readonly waits: Waits;
  /** The time that a call waits for a server in its first start unless its caller or the server sets a limit. */
  readonly timeoutMs: number;
}

/** Finds the tool and pins its definition. A call to a server in its first start waits for it. A tool that cannot be called fails with the reason. */
export function resolve(parts: ResolveParts): Stage<Call, ResolvedCall> {
  const { catalog } = parts;
  return (call, next) => {
    const found = findTarget(call, catalog);
    if ('outcome' in found) return afterStart(call, next, parts) ?? found;
    return next(resolved(call, found));
  };
}

/** Continues the call of an unknown tool once its server has ended its first start; `undefined` when the server is not in its first start. */
function afterStart(call: Call, next: Next<ResolvedCall>, parts: ResolveParts): MaybePromise<CallOutcome> | undefined {
  const { catalog } = parts;
  if (catalog.find(call.name) !== undefined) return undefined;
  const server = parseName(call.name)?.server;
  const starting = startingServer(catalog, server, call.options.profile);
  return server === undefined || starting === undefined ? undefined : whenStarted(call, next, parts, server, starting);
}

async function whenStarted(
  call: Call,
  next: Next<ResolvedCall>,
  { catalog, waits, timeoutMs }: ResolveParts,
  server: string,
  starting: StartingServer,
): Promise<CallOutcome> {
  const ownMs = catalog.source(server).limits.timeoutMs ?? timeoutMs;
  const deadline = Math.min(call.deadline ?? Number.POSITIVE_INFINITY, Date.now() + ownMs);
  const waited = await waits.until(starting.ended, call.options.signal, deadline);
  starting.stop();
  if ('ended' in waited) return endedOutcome(call, waited.ended, `server "${server}" was starting`);
  const found = findTarget(call, catalog);
  if ('outcome' in found) return found;
  return await next(resolved(call, found));
}

/** Binds a call to its tool, and to the definition that the tool has now. */
function resolved(call: Call, tool: CatalogTool): ResolvedCall {
  call.tool = tool;
  call.name = tool.definition.name;
  return call as ResolvedCall;
}

function findTarget(call: Call, catalog: Catalog): CatalogTool | CallOutcome {
  const found = find(call, catalog);
  if ('outcome' in found) return found;
  // Only an external tool may run outside the pipeline. For any other tool, a begun call would record a run that nothing checked.
  if (call.externalRun !== undefined && found.offered.isExternal !== true)
    return failedOutcome(
      'denied',
      'tool-hidden',
      `${call.name} cannot be started with begin, because Signalbox runs it; use call`,
    );
  const { forward } = found.offered;
  return forward === undefined ? found : resolveForwarded(call, forward, catalog);
}

function find(call: Call, catalog: Catalog): CatalogTool | CallOutcome {
  const tool = catalog.find(call.name);
  const hidden = hiddenByProfile(call, tool, catalog);
  if (hidden !== undefined) return hidden;
  if (tool === undefined) return notFound(call, catalog);
  if (call.expectedHash === undefined || call.expectedHash === tool.definition.definitionHash) return tool;
  return failedOutcome(
    'stale',
    'definition-changed',
    `${call.name} has changed since it was listed; list the tools again before calling it`,
  );
}

/** Returns the refusal of a tool that the profile of the caller hides; `undefined` when the profile shows it. */
export function hiddenByProfile(call: Call, tool: CatalogTool | undefined, catalog: Catalog): CallOutcome | undefined {
  const { profile } = call.options;
  const reason = profile === undefined ? undefined : catalog.exclusionReason(profile, tool);
  if (reason === undefined) return undefined;
  return failedOutcome('denied', 'tool-hidden', `${call.name} cannot be called: ${reason}`);
}

/** Resolves a forwarded call to its target. From here on it is a call of the target, pinned to its current definition. */
function resolveForwarded(
  call: Call,
  forward: NonNullable<SourceTool['forward']>,
  catalog: Catalog,
): CatalogTool | CallOutcome {
  const target = forward(call.args.raw ?? {});
  if (typeof target === 'string') return failedOutcome('failed', 'arguments-invalid', `${call.name}: ${target}`);
  if (catalog.find(target.name)?.offered.forward !== undefined)
    return failedOutcome(
      'failed',
      'arguments-invalid',
      `${call.name} cannot call ${target.name}, which itself calls other tools`,
    );
  call.name = target.name;
  call.args.raw = target.arguments;
  call.expectedHash = undefined;
  const tool = find(call, catalog);
  if ('definition' in tool) call.expectedHash = tool.definition.definitionHash;
  return tool;
}

function notFound(call: Call, catalog: Catalog): CallOutcome {
  const snapshot = catalog.view(call.options.profile);
  const named = findNamed(snapshot.hidden.map(nameHiddenTool), call.name)?.name;
  const hidden = snapshot.hidden.find((tool) => tool.name === named);
  if (hidden !== undefined) {
    const since = new Date(hidden.since).toISOString();
    const message = `${call.name} cannot be called: ${hidden.reason} (since ${since})`;
    // Nobody denied a call whose server is down.
    return hidden.by === 'server-down'
      ? failedOutcome('failed', 'server-down', message)
      : failedOutcome('denied', 'tool-hidden', message);
  }
  if (call.expectedHash !== undefined) {
    return failedOutcome(
      'stale',
      'definition-changed',
      `${call.name} is not in the catalog any more; list the tools again`,
    );
  }
  // A server that has not been reached yet has listed no tools.
  const server = parseName(call.name)?.server;
  const down = snapshot.servers.find(({ name, status }) => name === server && status === 'down');
  if (down?.reason !== undefined)
    return failedOutcome('failed', 'server-down', `${call.name} cannot be called: ${down.reason}`);
  const suggestion =
    catalog.renamed(call.name) ??
    closestMatch(
      call.name,
      snapshot.tools.map((tool) => tool.name),
    );
  const hint =
    suggestion === undefined ? `the catalog has ${snapshot.tools.length} tools` : `did you mean "${suggestion}"?`;
  const isMissing = server !== undefined && snapshot.servers.every(({ name }) => name !== server);
  const why = isMissing ? `, since there is no server named ${JSON.stringify(server)}` : '';
  return failedOutcome(
    'denied',
    'tool-unknown',
    `there is no tool named ${JSON.stringify(call.name.slice(0, 128))}${why}; ${hint}`,
  );
}
