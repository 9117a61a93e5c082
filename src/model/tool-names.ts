import { hash } from 'node:crypto';
import type { ToolId } from './tool.ts';

/** Model providers take names of 64 characters; four are left for the prefixes that clients add. */
export const maxNameLength = 60;
/** The limit before it was 60: policies and journals may hold names that were shortened to it. */
const formerMaxNameLength = 64;
const prefix = 'mcp__';

/** A tool, as far as its names go. */
export interface NamedTool {
  readonly id: ToolId;
  /** The rendered name. */
  readonly name: string;
  /** The server's name for it, where the configuration or a transform gave it another. */
  readonly renamedFrom?: string;
}

/** Everything that a person may write for one tool. */
export interface ToolNames {
  /** `mcp__{server}__{tool}` in each of its forms, the rendered one first. No other tool has one of them. */
  readonly full: readonly string[];
  /** The same without `mcp__{server}__`. Tools of other servers may have the same ones. */
  readonly bare: readonly string[];
  /** All of these, and both kinds of the name that the tool was renamed from: a restriction by any of them holds. */
  readonly all: readonly string[];
}

/** The parts of a tool's names that its rendered name leaves out: recorded with its calls, so that rules count them. */
export interface RecordedNaming {
  /** The tool's name as it is before it was rendered, where that changed it. */
  readonly ownName?: string;
  readonly renamedFrom?: string;
}

/** Returns what is recorded of a tool's names besides the rendered one; `undefined` for most tools. */
export function recordedNaming({ id, name, renamedFrom }: NamedTool): RecordedNaming | undefined {
  const isRenderedWhole = name === fullName(id);
  if (isRenderedWhole && renamedFrom === undefined) return undefined;
  return { ...(isRenderedWhole ? {} : { ownName: id.tool }), ...(renamedFrom === undefined ? {} : { renamedFrom }) };
}

/** Returns a tool, as far as its names go, from what was recorded of it. A rendered name always tells its server. */
export function recordedTool(name: string, { ownName, renamedFrom }: RecordedNaming): NamedTool {
  const split = name.startsWith(prefix) ? name.indexOf('__', prefix.length) : -1;
  const server = split === -1 ? '' : name.slice(prefix.length, split);
  const tool = ownName ?? (split === -1 ? name : name.slice(split + 2));
  return { id: { server, tool }, name, ...(renamedFrom === undefined ? {} : { renamedFrom }) };
}

const known = new WeakMap<NamedTool, ToolNames>();

/** Returns the names of a tool: worked out once for each definition. */
export function namesOf(tool: NamedTool): ToolNames {
  let names = known.get(tool);
  if (names === undefined) known.set(tool, (names = collectNames(tool)));
  return names;
}

function collectNames({ id, name, renamedFrom }: NamedTool): ToolNames {
  if (id.server === '') return { full: [name], bare: [], all: [name] };
  const forms = fullNames(id);
  const full = forms[0] === name ? forms : [...new Set([name, ...forms])];
  const bare = bareNames(full, id.server);
  if (renamedFrom === undefined) return { full, bare, all: [...full, ...bare] };
  const former = fullNames({ server: id.server, tool: renamedFrom });
  return { full, bare, all: [...new Set([...full, ...bare, ...former, ...bareNames(former, id.server)])] };
}

/** Returns the tool that has this rendered name, or else the one with this among the forms of its full name. */
export function findNamed<Tool extends NamedTool>(tools: readonly Tool[], name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name) ?? tools.find((tool) => namesOf(tool).full.includes(name));
}

/** Returns the forms of a full name, the rendered one first; most tools have only that. */
export function fullNames(id: ToolId): readonly string[] {
  const full = fullName(id);
  if (full.length <= maxNameLength && /^[A-Za-z0-9_-]+$/.test(full)) return [full];
  const safe = safeName(id);
  return [...new Set([renderedName(id), full, safe, shortened(safe, id, formerMaxNameLength)])];
}

/** Returns `mcp__{server}__{tool}` as it is before anything is replaced or cut off. */
export function fullName({ server, tool }: ToolId): string {
  return `${prefix}${server}__${tool}`;
}

/** Returns the name that agents see: of letters, digits, `_` and `-`, and short enough for every client. */
export function renderedName(id: ToolId): string {
  return shortened(safeName(id), id, maxNameLength);
}

/** Returns the full name with `_` for every character that providers do not take. */
export function safeName(id: ToolId): string {
  return fullName(id).replace(/[^A-Za-z0-9_-]/gu, '_');
}

function shortened(name: string, { server, tool }: ToolId, maxLength: number): string {
  if (name.length <= maxLength) return name;
  const mark = `_${hash('sha256', `${server}\n${tool}`, 'hex').slice(0, 8)}`;
  return name.slice(0, maxLength - mark.length) + mark;
}

/** A bare name that looks like a full one could be taken for another server's tool, so it does not count. */
function bareNames(full: readonly string[], server: string): readonly string[] {
  const beginning = `${prefix}${server}__`;
  return full
    .filter((name) => name.startsWith(beginning))
    .map((name) => name.slice(beginning.length))
    .filter((name) => !name.startsWith(prefix));
}
