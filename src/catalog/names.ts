import { hash } from 'node:crypto';
import { SignalboxError } from '../model/errors.ts';
import type { ToolId } from '../model/tool.ts';

/** The longest rendered name: the tightest limit among the model providers. */
export const longestName = 64;
const longestServerName = 44;
const prefix = 'mcp__';

/** Refuses a server name that could not be read back from a rendered tool name. */
export function assertServerName(server: string): void {
  const problem = serverNameProblem(server);
  if (problem === undefined) return;
  throw new SignalboxError(
    'name-invalid',
    `server name ${JSON.stringify(server)} ${problem}: use letters, digits, "-" and single "_", at most ${longestServerName} characters`,
  );
}

function serverNameProblem(server: string): string | undefined {
  if (server === '') return 'is empty';
  if (server.length > longestServerName) return `is ${server.length} characters long`;
  if (!/^[A-Za-z0-9_-]+$/.test(server)) return 'has a character that tool names cannot carry';
  if (server.includes('__')) return 'has "__", which separates server and tool';
  if (server.endsWith('_')) return 'ends with "_", which would blur where the tool name begins';
  return undefined;
}

/** A tool's name as agents see it, and what had to be changed to make it fit. */
export interface RenderedName {
  readonly name: string;
  readonly notice?: string;
}

/** Renders `mcp__{server}__{tool}`. Reversible unless a notice says that the tool's own name did not fit. */
export function renderName(id: ToolId): RenderedName {
  if (id.tool === '') throw new SignalboxError('name-invalid', `a tool of server "${id.server}" has an empty name`);
  const safe = id.tool.replace(/[^A-Za-z0-9_-]/gu, '_');
  const full = `${prefix}${id.server}__${safe}`;
  if (full.length > longestName) {
    const mark = `_${hash('sha256', `${id.server}\n${id.tool}`, 'hex').slice(0, 8)}`;
    const name = full.slice(0, longestName - mark.length) + mark;
    return {
      name,
      notice: `name ${JSON.stringify(id.tool)} is shortened to "${name}" (limit ${longestName} characters)`,
    };
  }
  if (safe !== id.tool) return { name: full, notice: `name ${JSON.stringify(id.tool)} is rendered as "${full}"` };
  return { name: full };
}

/** Reads a rendered name back; `undefined` when it is not one. */
export function parseName(name: string): ToolId | undefined {
  if (!name.startsWith(prefix)) return undefined;
  const split = name.indexOf('__', prefix.length);
  if (split === -1) return undefined;
  const id = { server: name.slice(prefix.length, split), tool: name.slice(split + 2) };
  return id.tool === '' || serverNameProblem(id.server) !== undefined ? undefined : id;
}
