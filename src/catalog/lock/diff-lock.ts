import { diffTool, findSuspicions } from './diff-tool.ts';
import { type Difference, formatValue } from './difference.ts';
import type { LockedInstructions, LockedServer } from './lock-types.ts';
import { wordDiff } from './word-diff.ts';

/** The difference of a tool from its accepted definition. */
export type ToolDiff =
  | { readonly tool: string; readonly kind: 'added'; readonly suspicions: readonly string[] }
  | { readonly tool: string; readonly kind: 'removed' }
  | { readonly tool: string; readonly kind: 'changed'; readonly differences: readonly Difference[] };

/** The differences of a server from its accepted definitions. */
export interface ServerDiff {
  readonly server: string;
  readonly instructions?: InstructionsDiff;
  readonly tools: readonly ToolDiff[];
}

/** Compares a server with its accepted definitions. Returns `undefined` when they are the same. */
export function diffServer(server: string, locked: LockedServer, now: LockedServer): ServerDiff | undefined {
  const names = [...new Set([...locked.tools.keys(), ...now.tools.keys()])].toSorted();
  const tools = names.flatMap((tool): ToolDiff[] => {
    const [before, after] = [locked.tools.get(tool), now.tools.get(tool)];
    if (after === undefined) return [{ tool, kind: 'removed' }];
    if (before === undefined) return [{ tool, kind: 'added', suspicions: findSuspicions(tool, after) }];
    return before.hash === after.hash ? [] : [{ tool, kind: 'changed', differences: diffTool(tool, before, after) }];
  });
  const instructions = diffInstructions(locked.instructions, now.instructions);
  if (instructions === undefined) return tools.length === 0 ? undefined : { server, tools };
  return { server, instructions, tools };
}

/** The difference of a server's instructions from the accepted ones. */
export interface InstructionsDiff {
  readonly kind: 'added' | 'removed' | 'changed';
  /** The difference as display text. */
  readonly text: string;
}

/** Compares instructions with the accepted ones. Returns `undefined` when they are the same. */
export function diffInstructions(
  before: LockedInstructions | undefined,
  now: LockedInstructions | undefined,
): InstructionsDiff | undefined {
  if (before?.hash === now?.hash) return undefined;
  if (before === undefined) return { kind: 'added', text: formatValue(now?.text) };
  if (now === undefined) return { kind: 'removed', text: formatValue(before.text) };
  if (before.text === undefined)
    return { kind: 'changed', text: `${formatValue(now.text)} (this older lock does not contain the accepted text)` };
  return { kind: 'changed', text: wordDiff(before.text, now.text ?? '') };
}

/** Returns the commands with which a person reviews the changes of a server, as the end of a message. */
export function reviewHint(server: string): string {
  return `signalbox lock diff ${server} shows the changes, signalbox lock accept ${server} accepts them`;
}
