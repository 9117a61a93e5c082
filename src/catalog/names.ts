import { SignalboxError } from '../core/errors.ts';
import type { ToolId } from '../core/tools/tool.ts';
import { fullName, maxNameLength, renderedName, safeName } from '../core/tools/tool-names.ts';

const maxServerNameLength = 44;
const prefix = 'mcp__';

/** Throws for a server name that cannot be parsed back from a rendered tool name. */
export function assertServerName(server: string): void {
  const problem = serverNameProblem(server);
  if (problem === undefined) return;
  throw new SignalboxError(
    'name-invalid',
    `server name ${JSON.stringify(server)} ${problem}: use letters, digits, "-" and single "_", at most ${maxServerNameLength} characters`,
  );
}

function serverNameProblem(server: string): string | undefined {
  if (server === '') return 'is empty';
  if (server.length > maxServerNameLength) return `is ${server.length} characters long`;
  if (!/^[A-Za-z0-9_-]+$/.test(server)) return 'has a character that tool names cannot carry';
  if (server.includes('__')) return 'has "__", which separates server and tool';
  if (server.endsWith('_')) return 'ends with "_", which would blur where the tool name begins';
  return undefined;
}

/** A tool's name as agents see it, with notices about the changes that were needed to make it valid. */
export interface RenderedName {
  readonly name: string;
  readonly notice?: string;
}

/** Renders `mcp__{server}__{tool}`. Reversible unless a notice reports that the tool's own name was changed. */
export function renderName(id: ToolId): RenderedName {
  if (id.tool === '') throw new SignalboxError('name-invalid', `a tool of server "${id.server}" has an empty name`);
  const name = renderedName(id);
  if (name === fullName(id)) return { name };
  const change =
    name === safeName(id)
      ? `is rendered as "${name}"`
      : `is shortened to "${name}" (limit ${maxNameLength} characters)`;
  return { name, notice: `name ${JSON.stringify(id.tool)} ${change}` };
}

/** Returns the rendered name of a tool by any form of its full name. A name that was shortened to 64 characters is returned unchanged: its original is not known. */
export function canonicalName(name: string): string {
  const id = parseName(name);
  if (id === undefined || (name.length === 64 && /_[0-9a-f]{8}$/.test(name))) return name;
  return renderedName(id);
}

/** Parses a rendered name. Returns `undefined` for any other name. */
export function parseName(name: string): ToolId | undefined {
  if (!name.startsWith(prefix)) return undefined;
  const split = name.indexOf('__', prefix.length);
  if (split === -1) return undefined;
  const id = { server: name.slice(prefix.length, split), tool: name.slice(split + 2) };
  return id.tool === '' || serverNameProblem(id.server) !== undefined ? undefined : id;
}
