import { hash } from 'node:crypto';
import type { ToolId } from './tool.ts';

/** Model providers take names of 64 characters; four are left for the prefixes that clients add. */
export const maxNameLength = 60;
/** The limit of earlier versions: policies and journals may contain names that were shortened to it. */
const formerMaxNameLength = 64;
const prefix = 'mcp__';

/**
 * The MCP methods, besides `tools/call`, that read from a server. Each is a tool of the server to policy, approvals and the journal:
 * `mcp__files__resources/read`. The slash keeps their names apart from rendered names; no tool of a server may have one of them.
 */
export const contentMethods = ['resources/read', 'resources/subscribe', 'prompts/get', 'completion/complete'] as const;

/** An MCP method that reads from a server. */
export type ContentMethod = (typeof contentMethods)[number];

/** Returns whether the name of a tool is an MCP method that reads from a server. */
export function isContentMethod(tool: string): tool is ContentMethod {
  return tool.includes('/') && contentMethods.some((method) => method === tool);
}

/** The properties of a tool that determine its names. */
export interface NamedTool {
  readonly id: ToolId;
  /** The rendered name. */
  readonly name: string;
  /** The server's name for the tool, when the configuration or a transform renamed it. */
  readonly renamedFrom?: string;
}

/** All names by which users can refer to one tool. */
export interface ToolNames {
  /** `mcp__{server}__{tool}` in each of its forms, the rendered one first. No other tool shares any of them. */
  readonly full: readonly string[];
  /** The names without `mcp__{server}__`, unless the rest looks like a full name. Tools of other servers may share them. */
  readonly bare: readonly string[];
  /** All full and bare names, plus those from before a rename. Past calls are matched by these names. */
  readonly past: readonly string[];
  /** All names in `past`, plus bare names that look like another server's full name (`mcp__…`). A restriction applies when any of them matches. */
  readonly all: readonly string[];
}

/** The names of a tool that its rendered name does not contain. They are recorded with its calls so that rules can count the calls by any name. */
export interface RecordedNaming {
  /** The tool's name before rendering; absent when rendering did not change it. */
  readonly ownName?: string;
  readonly renamedFrom?: string;
}

/** Returns the names to record besides the rendered one; `undefined` for most tools. */
export function recordedNaming({ id, name, renamedFrom }: NamedTool): RecordedNaming | undefined {
  const isRenderedWhole = name === fullName(id);
  if (isRenderedWhole && renamedFrom === undefined) return undefined;
  return { ...(isRenderedWhole ? {} : { ownName: id.tool }), ...(renamedFrom === undefined ? {} : { renamedFrom }) };
}

/** Restores the names of a tool from its record. The server is parsed from the rendered name. */
export function recordedTool(name: string, { ownName, renamedFrom }: RecordedNaming): NamedTool {
  const split = name.startsWith(prefix) ? name.indexOf('__', prefix.length) : -1;
  const server = split === -1 ? '' : name.slice(prefix.length, split);
  const tool = ownName ?? (split === -1 ? name : name.slice(split + 2));
  return { id: { server, tool }, name, ...(renamedFrom === undefined ? {} : { renamedFrom }) };
}

const known = new WeakMap<NamedTool, ToolNames>();

/** Returns the names of a tool, computed once per definition. */
export function namesOf(tool: NamedTool): ToolNames {
  let names = known.get(tool);
  if (names === undefined) known.set(tool, (names = collectNames(tool)));
  return names;
}

function collectNames({ id, name, renamedFrom }: NamedTool): ToolNames {
  if (id.server === '') return { full: [name], bare: [], past: [name], all: [name] };
  const forms = fullNames(id);
  const full = forms[0] === name ? forms : [...new Set([name, ...forms])];
  const former = renamedFrom === undefined ? [] : fullNames({ server: id.server, tool: renamedFrom });
  const stripped = withoutServer(full, id.server);
  const formerStripped = withoutServer(former, id.server);
  const bare = stripped.filter((each) => !looksFull(each));
  const past = [...new Set([...full, ...bare, ...former, ...formerStripped.filter((each) => !looksFull(each))])];
  const misleading = [...stripped, ...formerStripped].filter(looksFull);
  return { full, bare, past, all: misleading.length === 0 ? past : [...new Set([...past, ...misleading])] };
}

/** Returns whether a tool's own name begins like a full name. Such a name could be mistaken for another server's tool, so it is never used alone. */
export function looksFull(ownName: string): boolean {
  return ownName.startsWith(prefix);
}

/** Returns the tool with this rendered name, or else the tool with this form of its full name. */
export function findNamed<Tool extends NamedTool>(tools: readonly Tool[], name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name) ?? tools.find((tool) => namesOf(tool).full.includes(name));
}

/** Returns the forms of a full name, the rendered one first; most tools have only that. */
export function fullNames(id: ToolId): readonly string[] {
  const full = fullName(id);
  if (isContentMethod(id.tool)) return [full];
  if (full.length <= maxNameLength && /^[A-Za-z0-9_-]+$/.test(full)) return [full];
  const safe = safeName(id);
  return [...new Set([renderedName(id), full, safe, shortened(safe, id, formerMaxNameLength)])];
}

/** Returns `mcp__{server}__{tool}` before characters are replaced and the name is shortened. */
export function fullName({ server, tool }: ToolId): string {
  return `${prefix}${server}__${tool}`;
}

/** Returns the name that agents see: of letters, digits, `_` and `-`, and short enough for every client. */
export function renderedName(id: ToolId): string {
  return shortened(safeName(id), id, maxNameLength);
}

/** Returns the full name, with `_` for every character that providers do not accept. */
export function safeName(id: ToolId): string {
  return fullName(id).replace(/[^A-Za-z0-9_-]/gu, '_');
}

function shortened(name: string, { server, tool }: ToolId, maxLength: number): string {
  if (name.length <= maxLength) return name;
  const mark = `_${hash('sha256', `${server}\n${tool}`, 'hex').slice(0, 8)}`;
  return name.slice(0, maxLength - mark.length) + mark;
}

function withoutServer(full: readonly string[], server: string): readonly string[] {
  const beginning = `${prefix}${server}__`;
  return full.filter((name) => name.startsWith(beginning)).map((name) => name.slice(beginning.length));
}
