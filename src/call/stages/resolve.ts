import type { Catalog } from '../../catalog/catalog.ts';
import type { CatalogTool } from '../../catalog/definition.ts';
import { parseName } from '../../catalog/names.ts';
import { namedHidden } from '../../catalog/snapshot.ts';
import type { SourceTool } from '../../catalog/source.ts';
import type { CallOutcome } from '../../model/call.ts';
import { nearest } from '../../model/nearest.ts';
import { findNamed } from '../../model/tool-names.ts';
import { unfinished } from '../../model/unfinished.ts';
import type { Call, Stage } from '../call.ts';

/** Finds the tool and pins its definition. What cannot be called says why. */
export function resolve(catalog: Catalog): Stage {
  return (call, next) => {
    let found = find(call, catalog);
    if ('outcome' in found) return found;
    const { forward } = found.offered;
    if (forward !== undefined) {
      found = aimed(call, forward, catalog);
      if ('outcome' in found) return found;
    }
    call.tool = found;
    call.name = found.definition.name;
    return next(call);
  };
}

function find(call: Call, catalog: Catalog): CatalogTool | CallOutcome {
  const tool = catalog.find(call.name);
  const { profile } = call.options;
  const outside = profile === undefined ? undefined : catalog.outside(profile, tool);
  if (outside !== undefined) return unfinished('denied', 'tool-hidden', `${call.name} cannot be called: ${outside}`);
  if (tool === undefined) return absent(call, catalog);
  if (call.pinned === undefined || call.pinned === tool.definition.definitionHash) return tool;
  return unfinished(
    'stale',
    'definition-changed',
    `${call.name} has changed since it was listed; list the tools again before calling it`,
  );
}

/** The tool that a call is meant for which names another: from here on it is a call of that one, and pinned to what that is now. */
function aimed(call: Call, forward: NonNullable<SourceTool['forward']>, catalog: Catalog): CatalogTool | CallOutcome {
  const meant = forward(call.given ?? {});
  if (typeof meant === 'string') return unfinished('failed', 'arguments-invalid', `${call.name}: ${meant}`);
  if (catalog.find(meant.name)?.offered.forward !== undefined)
    return unfinished('failed', 'arguments-invalid', `${call.name} calls other tools, and not ${meant.name}`);
  call.name = meant.name;
  call.given = meant.arguments;
  call.pinned = undefined;
  const tool = find(call, catalog);
  if ('definition' in tool) call.pinned = tool.definition.definitionHash;
  return tool;
}

function absent(call: Call, catalog: Catalog): CallOutcome {
  const snapshot = catalog.view(call.options.profile);
  const named = findNamed(snapshot.hidden.map(namedHidden), call.name)?.name;
  const hidden = snapshot.hidden.find((tool) => tool.name === named);
  if (hidden !== undefined) {
    const since = new Date(hidden.since).toISOString();
    return unfinished(
      'denied',
      hidden.by === 'server-down' ? 'server-down' : 'tool-hidden',
      `${call.name} cannot be called: ${hidden.reason} (since ${since})`,
    );
  }
  if (call.pinned !== undefined) {
    return unfinished(
      'stale',
      'definition-changed',
      `${call.name} is not in the catalog any more; list the tools again`,
    );
  }
  // A server that has not been reached yet has told of no tools.
  const server = parseName(call.name)?.server;
  const down = snapshot.servers.find(({ name, status }) => name === server && status === 'down');
  if (down?.reason !== undefined)
    return unfinished('denied', 'server-down', `${call.name} cannot be called: ${down.reason}`);
  const suggestion =
    catalog.renamed(call.name) ??
    nearest(
      call.name,
      snapshot.tools.map((tool) => tool.name),
    );
  const hint =
    suggestion === undefined ? `the catalog has ${snapshot.tools.length} tools` : `did you mean "${suggestion}"?`;
  return unfinished(
    'denied',
    'tool-unknown',
    `there is no tool named ${JSON.stringify(call.name.slice(0, 128))}; ${hint}`,
  );
}
