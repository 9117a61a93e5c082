import { hash } from 'node:crypto';
import { SignalboxError } from '../errors.ts';
import type { ToolId } from './tool.ts';

/** Model providers take names of 64 characters; four are left for the prefixes that clients add. */
export const maxToolNameLength = 60;
/** The limit of earlier versions: policies and journals may contain names that were shortened to it. */
const formerMaxToolNameLength = 64;
const maxServerNameLength = 44;
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
  const isUnchanged = name === fullName(id);
  if (isUnchanged && renamedFrom === undefined) return undefined;
  return { ...(isUnchanged ? {} : { ownName: id.tool }), ...(renamedFrom === undefined ? {} : { renamedFrom }) };
}

/** Restores the names of a tool from its record. The server is parsed from the rendered name. */
export function recordedTool(name: string, { ownName, renamedFrom }: RecordedNaming): NamedTool {
  const { server, tool } = splitName(name) ?? { server: '', tool: name };
  return { id: { server, tool: ownName ?? tool }, name, ...(renamedFrom === undefined ? {} : { renamedFrom }) };
}

const namesByTool = new WeakMap<NamedTool, ToolNames>();

/** Returns the names of a tool, computed once per definition. */
export function namesOf(tool: NamedTool): ToolNames {
  let names = namesByTool.get(tool);
  if (names === undefined) namesByTool.set(tool, (names = collectNames(tool)));
  return names;
}

function collectNames({ id, name, renamedFrom }: NamedTool): ToolNames {
  if (id.server === '') return { full: [name], bare: [], past: [name], all: [name] };
  const forms = fullNames(id);
  const full = forms[0] === name ? forms : [...new Set([name, ...forms])];
  const former = renamedFrom === undefined ? [] : fullNames({ server: id.server, tool: renamedFrom });
  const stripped = withoutServer(full, id.server);
  const formerStripped = withoutServer(former, id.server);
  const bare = stripped.filter((each) => !looksLikeFullName(each));
  const past = [
    ...new Set([...full, ...bare, ...former, ...formerStripped.filter((each) => !looksLikeFullName(each))]),
  ];
  const misleading = [...stripped, ...formerStripped].filter(looksLikeFullName);
  return { full, bare, past, all: misleading.length === 0 ? past : [...new Set([...past, ...misleading])] };
}

/** Returns whether a tool's own name begins like a full name. Such a name could be mistaken for another server's tool, so it is never used alone. */
export function looksLikeFullName(ownName: string): boolean {
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
  if (full.length <= maxToolNameLength && /^[A-Za-z0-9_-]+$/.test(full)) return [full];
  const safe = safeName(id);
  return [...new Set([renderedName(id), full, safe, shortened(safe, id, formerMaxToolNameLength)])];
}

/** Returns `mcp__{server}__{tool}` before characters are replaced and the name is shortened. */
export function fullName({ server, tool }: ToolId): string {
  return `${prefix}${server}__${tool}`;
}

/** Returns the name that agents see: of letters, digits, `_` and `-`, and short enough for every client. */
function renderedName(id: ToolId): string {
  return shortened(safeName(id), id, maxToolNameLength);
}

/** Returns the full name, with `_` for every character that providers do not accept. */
function safeName(id: ToolId): string {
  return fullName(id).replace(/[^A-Za-z0-9_-]/gu, '_');
}

function shortened(name: string, { server, tool }: ToolId, maxLength: number): string {
  if (name.length <= maxLength) return name;
  const suffix = `_${hash('sha256', `${server}\n${tool}`, 'hex').slice(0, 8)}`;
  return name.slice(0, maxLength - suffix.length) + suffix;
}

function withoutServer(full: readonly string[], server: string): readonly string[] {
  const serverPrefix = `${prefix}${server}__`;
  return full.filter((name) => name.startsWith(serverPrefix)).map((name) => name.slice(serverPrefix.length));
}

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
  if (!/^[A-Za-z0-9_-]+$/.test(server)) return 'contains a character that is not allowed in tool names';
  if (server.includes('__')) return 'has "__", which separates server and tool';
  if (server.endsWith('_')) return 'ends with "_", so it could not be separated from the tool name';
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
      : `is shortened to "${name}" (limit ${maxToolNameLength} characters)`;
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
  const id = splitName(name);
  return id === undefined || id.tool === '' || serverNameProblem(id.server) !== undefined ? undefined : id;
}

function splitName(name: string): ToolId | undefined {
  const split = name.startsWith(prefix) ? name.indexOf('__', prefix.length) : -1;
  return split === -1 ? undefined : { server: name.slice(prefix.length, split), tool: name.slice(split + 2) };
}
