import type { Source, SourceState, SourceTool } from '../source/source.ts';
import { sanitizeText } from '../transforms/sanitize-text.ts';
import { type MappedTool, mapSource } from '../transforms/transform-server.ts';
import { type InstructionsDiff, diffInstructions, reviewHint } from './diff-lock.ts';
import { summarizeToolDiff } from './diff-tool.ts';
import { truncate } from './difference.ts';
import { type LockedServer, lockFileName } from './lock-types.ts';
import { pinInstructions, pinTool } from './locked-server.ts';

const maxNoticeLength = 300;

/**
 * Returns a source that offers only accepted tools; a source that is not locked is returned unchanged.
 * Must wrap a source before any transform, because it compares the definitions of the server.
 */
export function lockSource(source: Source, locked: LockedServer | undefined): Source {
  if (locked === undefined) return source;
  const next = reviewHint(source.server);
  const mapTool = (tool: SourceTool): MappedTool => {
    const why = refusal(tool, locked);
    return why === undefined ? { tool } : { withheld: { tool: tool.tool, by: 'lock', reason: `${why}; ${next}` } };
  };
  const noticesOf = ({ tools, instructions }: SourceState): string[] => {
    const present = new Set(tools.map(({ tool }) => tool));
    const gone = [...locked.tools.keys()].filter((name) => !present.has(name));
    const change = instructionsChange(instructions, locked);
    return [
      ...gone.map((name) => `tool ${JSON.stringify(name)} is in ${lockFileName} but no longer listed; ${next}`),
      ...(change === undefined ? [] : [instructionsNotice(change, next)]),
    ];
  };
  const mapped = mapSource(source, mapTool, noticesOf);
  return { ...mapped, state: () => withoutNewInstructions(mapped.state(), locked) };
}

function refusal(tool: SourceTool, locked: LockedServer): string | undefined {
  const accepted = locked.tools.get(tool.tool);
  if (accepted === undefined) return `it is not in ${lockFileName}`;
  const now = pinTool(tool);
  if (now === undefined) return `its definition is not JSON, so it cannot be compared with ${lockFileName}`;
  if (now.hash === accepted.hash) return undefined;
  return `it differs from ${lockFileName}: ${summarizeToolDiff(tool.tool, accepted, now)}`;
}

function instructionsChange(instructions: string | undefined, locked: LockedServer): InstructionsDiff | undefined {
  const now = instructions === undefined ? undefined : pinInstructions(instructions);
  return diffInstructions(locked.instructions, now);
}

function instructionsNotice({ kind, text }: InstructionsDiff, next: string): string {
  const withheld = kind === 'removed' ? '' : ' and are withheld';
  const shown = truncate(sanitizeText(text).replaceAll(/\s+/g, ' '), maxNoticeLength);
  return `its instructions were ${kind} since they were locked${withheld}: ${shown}; ${next}`;
}

function withoutNewInstructions(state: SourceState, locked: LockedServer): SourceState {
  const { instructions, ...rest } = state;
  if (instructions === undefined || instructionsChange(instructions, locked) === undefined) return state;
  return rest;
}
