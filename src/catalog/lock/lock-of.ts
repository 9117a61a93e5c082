import type { Source, SourceState } from '../source.ts';
import { pinInstructions } from './pin-instructions.ts';
import type { Lock, LockedServer, LockedTool } from './lock.ts';
import { pinTool } from './pin-tool.ts';

/** What sources say now; those that are down say nothing. Taken before any transform, so that it is what the server said. */
export function lockOf(sources: Iterable<Source>): Lock {
  const servers = new Map<string, LockedServer>();
  for (const source of sources) {
    const state = source.state();
    if (state.down === undefined) servers.set(source.server, lockedServer(state));
  }
  return { servers };
}

/** Returns what a server says now, in canonical form. Tools whose definition is not JSON are left out. */
export function lockedServer({ tools, instructions }: SourceState): LockedServer {
  const locked = new Map<string, LockedTool>();
  for (const tool of tools) {
    const pinned = locked.has(tool.tool) ? undefined : pinTool(tool);
    if (pinned !== undefined) locked.set(tool.tool, pinned);
  }
  return { ...(instructions === undefined ? {} : { instructions: pinInstructions(instructions) }), tools: locked };
}
