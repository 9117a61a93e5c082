import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import type { RuntimeTool } from '../../runtime.ts';

/** The tool that Claude asks its user with. */
export const questionToolName = 'AskUserQuestion';

/**
 * The effects of Claude Code's own tools. Any other tool counts as irreversible. So do web requests, because a URL can leak data that was
 * read before.
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

/** The arguments that name a file or directory. */
const pathArguments = ['file_path', 'notebook_path', 'path'];

/**
 * Returns a tool of Claude Code as policy evaluates it. A call that reaches outside the working directory, or searches the data directory, is
 * an irreversible tool with the suffix `_outside`: a write there cannot be undone, and data that a model has read cannot be taken back.
 */
export function toBuiltInTool(name: string, input: JsonObject, cwd: string, data?: string): RuntimeTool {
  const effect = Object.hasOwn(effects, name) ? (effects[name] ?? 'irreversible') : 'irreversible';
  const reached = pathArguments.map((place) => input[place]).filter((path) => typeof path === 'string');
  const inside = reached.every((path) => isInside(cwd, path)) && !(name === 'Glob' && climbs(input['pattern']));
  if (effect === 'irreversible' || (inside && !(name === 'Grep' && searches(data, reached, cwd))))
    return { name, effect };
  return { name: `${name}_outside`, effect: 'irreversible' };
}

/** Returns whether a recursive search in these folders includes a directory. */
function searches(directory: string | undefined, folders: readonly string[], cwd: string): boolean {
  if (directory === undefined) return false;
  return (folders.length === 0 ? ['.'] : folders).some((path) => isInside(resolve(cwd, path), directory));
}

/** Returns whether a glob pattern may match files outside the working directory. */
function climbs(pattern: JsonValue | undefined): boolean {
  return typeof pattern === 'string' && /\.\.|(^|[{,(|])[/~]/.test(pattern);
}

/** Returns whether a path is in a directory, after following links. Claude Code expands `~` to the home directory. */
function isInside(directory: string, path: string): boolean {
  if (path.startsWith('~')) return false;
  const between = relative(real(directory), real(resolve(directory, path)));
  return between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between);
}

/** Resolves links in a path, which need not exist yet. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(real(parent), basename(path));
  }
}

/** Returns the output of a tool of Claude Code as readable text. */
export function toOutputText(response: unknown): string {
  if (typeof response === 'string') return response;
  if (!isJsonObject(response)) return JSON.stringify(response ?? null);
  const { stdout, stderr, file } = response;
  if (typeof stdout === 'string') return typeof stderr === 'string' && stderr !== '' ? `${stdout}\n${stderr}` : stdout;
  if (isJsonObject(file) && typeof file['content'] === 'string') return file['content'];
  return JSON.stringify(response);
}
