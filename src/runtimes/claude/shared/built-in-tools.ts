import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import type { RuntimeTool } from '../../runtime.ts';

/** The tool with which Claude asks its user. */
export const questionToolName = 'AskUserQuestion';

/**
 * What the tools that Claude Code brings along do to the world. One that is not here may do anything. Reading the web is not
 * here either: an address can carry out what was read before.
 */
const effects: Readonly<Record<string, RuntimeTool['effect']>> = {
  [questionToolName]: 'read',
  Read: 'read',
  Glob: 'read',
  Grep: 'read',
  LS: 'read',
  NotebookRead: 'read',
  BashOutput: 'read',
  TaskOutput: 'read',
  TaskGet: 'read',
  TaskList: 'read',
  CronList: 'read',
  ListAgents: 'read',
  ListMcpResourcesTool: 'read',
  ReadMcpResourceTool: 'read',
  ToolSearch: 'read',
  TodoWrite: 'read',
  ReportFindings: 'read',
  EnterPlanMode: 'read',
  ExitPlanMode: 'read',
  Write: 'undoable',
  Edit: 'undoable',
  MultiEdit: 'undoable',
  NotebookEdit: 'undoable',
};

/** Where a tool says which file or folder it is about. */
const pathArguments = ['file_path', 'notebook_path', 'path'];

/**
 * A tool of Claude Code as policy sees it. What reaches out of the working directory, or searches the data directory, is another tool, with
 * `_outside` at its name: a write there is not kept for undo, and what was read there cannot be taken back from a model.
 */
export function toBuiltInTool(name: string, input: JsonObject, cwd: string, data?: string): RuntimeTool {
  const effect = Object.hasOwn(effects, name) ? (effects[name] ?? 'irreversible') : 'irreversible';
  const reached = pathArguments.map((place) => input[place]).filter((path) => typeof path === 'string');
  const inside = reached.every((path) => isInside(cwd, path)) && !(name === 'Glob' && climbs(input['pattern']));
  if (effect === 'irreversible' || (inside && !(name === 'Grep' && searches(data, reached, cwd))))
    return { name, effect };
  return { name: `${name}_outside`, effect: 'irreversible' };
}

/** Whether a search looks into a directory. It looks into whatever lies below the folders it is given. */
function searches(directory: string | undefined, folders: readonly string[], cwd: string): boolean {
  if (directory === undefined) return false;
  return (folders.length === 0 ? ['.'] : folders).some((path) => isInside(resolve(cwd, path), directory));
}

/** Whether a pattern may match files elsewhere. */
function climbs(pattern: JsonValue | undefined): boolean {
  return typeof pattern === 'string' && /\.\.|(^|[{,(|])[/~]/.test(pattern);
}

/** Whether a path leads into a directory, links followed. Claude Code takes `~` for the home directory. */
function isInside(directory: string, path: string): boolean {
  if (path.startsWith('~')) return false;
  const between = relative(real(directory), real(resolve(directory, path)));
  return between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between);
}

/** Where a path really leads; what does not exist yet will be made where its parent leads. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(real(parent), basename(path));
  }
}

/** What a tool of Claude Code gave back, as a person would read it. */
export function toOutputText(response: unknown): string {
  if (typeof response === 'string') return response;
  if (!isJsonObject(response)) return JSON.stringify(response ?? null);
  const { stdout, stderr, file } = response;
  if (typeof stdout === 'string') return typeof stderr === 'string' && stderr !== '' ? `${stdout}\n${stderr}` : stdout;
  if (isJsonObject(file) && typeof file['content'] === 'string') return file['content'];
  return JSON.stringify(response);
}
