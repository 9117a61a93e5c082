import { dirname, resolve } from 'node:path';
import type { JsonObject } from '../../core/json/json.ts';
import { type AgentSettings, agentSchemas } from '../schema/agent-schema.ts';
import { parseOptions } from '../schema/schema-parts.ts';
import { isLikelySecret } from '../secrets/secret-detection.ts';
import { type ValidationIssue, nameIssues, toIssues, didYouMean } from './validation-issue.ts';

/** An agent of the configuration; paths are absolute. */
export type AgentEntry = AgentSettings & { readonly name: string };

/** The agents of a configuration, and the default agent for sessions. */
export interface AgentEntries {
  readonly entries: readonly AgentEntry[];
  readonly defaultName: string;
}

/** The reserved server names for tools that runtimes run themselves, with a description of these tools. */
export const runtimeServers = {
  claude: 'the built-in tools of Claude Code',
  model: 'the built-in tools of agents with the runtime "model"',
} as const;

/** Returns whether a pattern names tools that runtimes run themselves, which are known only after their first call. */
export function isRuntimeTool(pattern: string): boolean {
  return Object.keys(runtimeServers).some((server) => pattern.startsWith(`mcp__${server}__`));
}

/** The built-in agent, which needs no API key. */
const demo: AgentEntry = { name: 'demo', runtime: 'model', model: 'demo' };

/** The agents of a configuration without `agents`. */
export const defaultAgents: AgentEntries = { entries: [demo], defaultName: demo.name };

/** Reads `agents`: the agents by name, and `default`, the name of one of them. */
export function readAgents(
  { default: chosen, ...others }: JsonObject,
  profiles: readonly string[],
  file: string,
): { readonly agents: AgentEntries; readonly issues: readonly ValidationIssue[] } {
  const readings = Object.entries(others).map(([name, entry]) => readAgent(name, entry, profiles, file));
  const names = [...Object.keys(others), demo.name];
  const issues = readings.flatMap((reading) => reading.issues);
  const defaultName = typeof chosen === 'string' ? chosen : undefined;
  if (chosen !== undefined && !names.includes(defaultName ?? ''))
    issues.push({
      path: ['agents', 'default'],
      message: `expected the name of an agent: ${names.join(', ')}`,
      ...didYouMean(defaultName, names),
    });
  const entries = [...readings.flatMap(({ entry }) => entry ?? []), demo];
  return { agents: { entries, defaultName: defaultName ?? entries[0]?.name ?? demo.name }, issues };
}

function readAgent(
  name: string,
  value: unknown,
  profiles: readonly string[],
  file: string,
): { readonly entry?: AgentEntry; readonly issues: ValidationIssue[] } {
  const path = ['agents', name];
  const result = agentSchemas().agentSchema.safeParse(value, parseOptions);
  const issues = [...agentNameIssues(name), ...toIssues(result, value, path).map(explainOtherRuntime)];
  if (!result.success) return { issues };
  const { cwd, ...settings } = result.data;
  const { profile } = settings;
  if (profile !== undefined && !profiles.includes(profile))
    issues.push({
      path: [...path, 'profile'],
      message: `there is no profile ${JSON.stringify(profile)}`,
      ...didYouMean(profile, profiles),
    });
  issues.push(...writtenSecrets(settings, path));
  if (issues.length > 0) return { issues };
  const directory = dirname(file);
  const placed = cwd === undefined ? settings : { ...settings, cwd: resolve(directory, cwd) };
  return { entry: { ...withProgram(placed, directory), name }, issues };
}

/** Resolves the path of an executable from the directory of the configuration. A plain name is looked up in PATH. */
function withProgram(settings: AgentSettings, directory: string): AgentSettings {
  if (settings.runtime === 'model' || settings.executable?.includes('/') !== true) return settings;
  return { ...settings, executable: resolve(directory, settings.executable) };
}

function agentNameIssues(name: string): ValidationIssue[] {
  const path = ['agents', name];
  if (name === demo.name) return [{ path, message: 'the name belongs to the built-in demo agent', hint: 'rename it' }];
  return nameIssues(path, name);
}

/** Replaces the "unknown key" message for a key of another runtime. */
function explainOtherRuntime(issue: ValidationIssue): ValidationIssue {
  const [, , key] = issue.path;
  const owner = typeof key === 'string' ? agentSchemas().runtimesOf.get(key) : undefined;
  if (owner === undefined || issue.path.length !== 3 || !issue.message.startsWith('unknown key')) return issue;
  return { path: issue.path, message: `is for agents with the runtime ${owner}` };
}

/** Returns an issue for each credential that is written in the file instead of a reference. */
function writtenSecrets(settings: AgentSettings, path: readonly string[]): ValidationIssue[] {
  const found = (inner: readonly string[]): ValidationIssue => ({
    path: [...path, ...inner],
    message: 'looks like a secret, expected a reference to it, as ${secret:NAME} or ${env:NAME}',
  });
  const within = (value: unknown, inner: readonly string[]): ValidationIssue[] => {
    if (typeof value === 'string') return isLikelySecret(inner.at(-1) ?? '', value) ? [found(inner)] : [];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, each]) => within(each, [...inner, key]));
  };
  if (settings.runtime !== 'model') return within(settings.env, ['env']);
  return Object.entries(settings.providers ?? {}).flatMap(([name, { headers, options, baseURL = '' }]) => {
    const at = ['providers', name];
    const hasPassword = /^\w+:\/\/[^/?#]*:[^/?#$]+@/.test(baseURL);
    return [
      ...within(headers, [...at, 'headers']),
      ...within(options, [...at, 'options']),
      ...(hasPassword ? [found([...at, 'baseURL'])] : []),
    ];
  });
}
