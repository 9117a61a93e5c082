import { dirname, resolve } from 'node:path';
import { closestMatch } from '../../core/text/closest-match.ts';
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
  claude: 'the tools that Claude Code brings along',
  model: 'what agents with the runtime "model" do themselves',
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
  value: unknown,
  profiles: readonly string[],
  file: string,
): { readonly agents: AgentEntries; readonly issues: readonly ValidationIssue[] } {
  const { default: usual, ...others } = entriesOf(value);
  const readings = Object.entries(others).map(([name, entry]) => readAgent(name, entry, profiles, file));
  const names = [...Object.keys(others), demo.name];
  const issues = readings.flatMap((reading) => reading.issues);
  if (usual !== undefined && !(typeof usual === 'string' && names.includes(usual)))
    issues.push({
      path: ['agents', 'default'],
      message: `expected the name of an agent: ${names.join(', ')}`,
      ...didYouMean(typeof usual === 'string' ? closestMatch(usual, names) : undefined),
    });
  const entries = [...readings.flatMap(({ entry }) => entry ?? []), demo];
  return {
    agents: { entries, defaultName: typeof usual === 'string' ? usual : (entries[0]?.name ?? demo.name) },
    issues,
  };
}

function readAgent(
  name: string,
  value: unknown,
  profiles: readonly string[],
  file: string,
): { readonly entry?: AgentEntry; readonly issues: ValidationIssue[] } {
  const path = ['agents', name];
  const result = agentSchemas().agentSchema.safeParse(value, parseOptions);
  const issues = [...nameFindings(name), ...toIssues(result, value, path).map(ofOtherRuntime)];
  if (!result.success) return { issues };
  const { cwd, ...settings } = result.data;
  const { profile } = settings;
  if (profile !== undefined && !profiles.includes(profile))
    issues.push({
      path: [...path, 'profile'],
      message: `there is no profile ${JSON.stringify(profile)}`,
      ...didYouMean(closestMatch(profile, profiles)),
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

function nameFindings(name: string): ValidationIssue[] {
  const path = ['agents', name];
  if (name === demo.name) return [{ path, message: 'the name belongs to the built-in demo agent', hint: 'rename it' }];
  return nameIssues(path, name);
}

/** Replaces the "unknown key" message for a key of another runtime. */
function ofOtherRuntime(finding: ValidationIssue): ValidationIssue {
  const [, , key] = finding.path;
  const owner = typeof key === 'string' ? agentSchemas().runtimesOf.get(key) : undefined;
  if (owner === undefined || finding.path.length !== 3 || !finding.message.startsWith('unknown key')) return finding;
  return { path: finding.path, message: `is for agents with the runtime ${owner}` };
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

function entriesOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}
