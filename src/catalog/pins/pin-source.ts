import { omitUndefined } from '../../core/omit-undefined.ts';
import { type UnacceptedDefinition, claimedEffect, stricterEffect } from '../../core/tools/tool.ts';
import { type ServerDiff, diffInstructions, diffServer, reviewHint } from '../lock/diff-lock.ts';
import { summarizeToolDiff } from '../lock/diff-tool.ts';
import { lockedServer, pinInstructions, pinTool } from '../lock/locked-server.ts';
import type { LockedServer, LockedTool } from '../lock/lock-types.ts';
import type { Source, SourceState, SourceTool, WithheldTool } from '../source/source.ts';
import { flagSuspicious } from '../scan/flag-suspicious.ts';
import type { Pins } from './pins.ts';

/** Returns whether the definitions of a source are pinned: those of servers outside this process. */
export function isPinnable({ adapter, unlisted }: Source): boolean {
  return adapter.startsWith('mcp:') && unlisted !== true;
}

/**
 * Wraps a source so that its definitions are pinned when first seen. A tool that differs from its pin has the stricter effect and the accepted
 * prose and additional fields, and needs approval until it is accepted. Must be the innermost wrapper, to compare the server's own definitions.
 */
export function pinSource(source: Source, pins: Pins): Source {
  const { server } = source;
  const hashes = new WeakMap<SourceTool, LockedTool | undefined>();
  let last:
    | { readonly given: SourceState; readonly pin: LockedServer | undefined; readonly result: SourceState }
    | undefined;
  const since = new Map<string, number>();

  const pinned = (tool: SourceTool): LockedTool | undefined => {
    if (!hashes.has(tool)) hashes.set(tool, pinTool(tool));
    return hashes.get(tool);
  };
  const state = (): SourceState => {
    const given = source.state();
    if (last?.given === given && last.pin === pins.get(server)) return last.result;
    // A server that is down may not have listed its tools yet. A server without tools may list them later.
    const isListed = given.down === undefined && given.tools.length > 0;
    const pin = pins.get(server) ?? (isListed ? pins.pinFirst(server, lockedServer(given)) : undefined);
    const result = pin === undefined ? given : applyPin(given, pin, server, pinned, since);
    pins.setUnaccepted(server, result === given ? undefined : () => lockedServer(given));
    last = { given, pin, result };
    return result;
  };
  return {
    ...source,
    isPinned: true,
    state,
    subscribe(listener) {
      const stops = [source.subscribe(listener), pins.subscribe(server, listener)];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

/** Returns the differences of a server from its pin; `undefined` when nothing needs acceptance. Removed tools are ignored. */
export function diffPin(server: string, pin: LockedServer, now: LockedServer): ServerDiff | undefined {
  const diff = diffServer(server, pin, now);
  if (diff === undefined) return undefined;
  const tools = diff.tools.filter(({ kind }) => kind !== 'removed');
  const { instructions } = diff;
  if (tools.length === 0 && (instructions === undefined || instructions.kind === 'removed')) return undefined;
  return { ...diff, tools };
}

function applyPin(
  given: SourceState,
  pin: LockedServer,
  server: string,
  pinned: (tool: SourceTool) => LockedTool | undefined,
  since: Map<string, number>,
): SourceState {
  const next = reviewHint(server);
  const tools: SourceTool[] = [];
  const hidden: WithheldTool[] = [];
  for (const tool of given.tools) {
    const now = pinned(tool);
    const accepted = pin.tools.get(tool.tool);
    if (now !== undefined && now.hash === accepted?.hash) {
      tools.push(tool);
      continue;
    }
    const kind = accepted === undefined ? 'new' : 'changed';
    const reason = `${differences(tool.tool, accepted, now)}; ${next}`;
    const flags = flagSuspicious(tool);
    if (flags.length > 0) {
      if (!since.has(tool.tool)) since.set(tool.tool, Date.now());
      const why = `${reason}. Not offered until then: ${flags.join('; ')}`;
      hidden.push({ tool: tool.tool, by: 'lock', reason: why, since: since.get(tool.tool) ?? Date.now() });
    } else tools.push(unaccepted(tool, accepted, { kind, reason }));
  }
  const { instructions, ...rest } = given;
  const now = instructions === undefined ? undefined : pinInstructions(instructions);
  const change = now === undefined ? undefined : diffInstructions(pin.instructions, now);
  if (change === undefined && hidden.length === 0 && tools.every((tool, index) => tool === given.tools[index]))
    return given;
  const text = change === undefined ? instructions : pin.instructions?.text;
  const sent = pin.instructions?.text === undefined ? 'none are sent' : 'the accepted ones are sent';
  return {
    ...rest,
    tools,
    ...(text === undefined ? {} : { instructions: text }),
    ...(hidden.length === 0 ? {} : { hidden: [...(given.hidden ?? []), ...hidden] }),
    ...(change === undefined
      ? {}
      : { notices: [...(given.notices ?? []), `its instructions were ${change.kind}, and ${sent}; ${next}`] }),
  };
}

/** Returns an unaccepted tool as it is offered: with the stricter effect, the accepted text if there is any, and its new schemas. */
function unaccepted(tool: SourceTool, accepted: LockedTool | undefined, why: UnacceptedDefinition): SourceTool {
  const { title: _, annotations: __, _meta: ___, fields: ____, ...rest } = tool;
  const { title, description, _meta, fields } = accepted ?? tool;
  // A tool that was added after the server was pinned has no accepted claims.
  const claims = accepted?.annotations ?? {};
  return {
    ...rest,
    description,
    ...omitUndefined({ title, _meta, fields }),
    annotations: claims,
    effect: stricterEffect(tool.effect, accepted === undefined ? 'irreversible' : claimedEffect(claims)),
    unaccepted: why,
    notices: [...tool.notices, why.reason],
  };
}

function differences(name: string, accepted: LockedTool | undefined, now: LockedTool | undefined): string {
  if (now === undefined) return 'its definition is not JSON, so it cannot be compared with the accepted one';
  if (accepted === undefined) return 'it is new: its server did not list it when its definitions were accepted';
  return `its definition differs from the accepted one: ${summarizeToolDiff(name, accepted, now)}`;
}
