import { dirname, resolve } from 'node:path';
import { closestMatch } from '../../core/text/closest-match.ts';
import { type AgentSettings, agentSchemas } from '../schema/agent-schema.ts';
import { parseOptions } from '../schema/schema-parts.ts';
import { isLikelySecret } from '../secrets/secret-detection.ts';
import { type ValidationIssue, nameIssues, toIssues, didYouMean } from './validation-issue.ts';

/** An agent of the configuration; paths are absolute. */
export type AgentEntry = AgentSettings & { readonly name: string };

/** The agents of a configuration, and which of them sessions get that name none. */
export interface AgentEntries {
  readonly entries: readonly AgentEntry[];
  readonly defaultName: string;
}

/** The servers that stand for what runtimes run themselves, and what that is. No other server can have their names. */
export const runtimeServers = {
  claude: 'the tools that Claude Code brings along',
  model: 'what agents with the runtime "model" do themselves',
} as const;

/** Says whether a pattern is about what runtimes run themselves, which is known only once they have run it. */
export function isRuntimeTool(pattern: string): boolean {
  return Object.keys(runtimeServers).some((server) => pattern.startsWith(`mcp__${server}__`));
}

/** The agent that is always there, and needs no key. */
const demo: AgentEntry = { name: 'demo', runtime: 'model', model: 'demo' };

/** The agents where the configuration names none. */
export const defaultAgents: AgentEntries = { entries: [demo], defaultName: demo.name };

/** Reads `agents`: agents by name, and under `default` the name of one. */
export function readAgents(
  value: unknown,
  profiles: readonly string[],
  file: string,
): { readonly agents: AgentEntries; readonly findings: readonly ValidationIssue[] } {
  const { default: usual, ...others } = entriesOf(value);
  const readings = Object.entries(others).map(([name, entry]) => readAgent(name, entry, profiles, file));
  const names = [...Object.keys(others), demo.name];
  const findings = readings.flatMap((reading) => reading.findings);
  if (usual !== undefined && !(typeof usual === 'string' && names.includes(usual)))
    findings.push({
      path: ['agents', 'default'],
      message: `expected the name of an agent: ${names.join(', ')}`,
      ...didYouMean(typeof usual === 'string' ? closestMatch(usual, names) : undefined),
    });
  const entries = [...readings.flatMap(({ entry }) => entry ?? []), demo];
  return {
    agents: { entries, defaultName: typeof usual === 'string' ? usual : (entries[0]?.name ?? demo.name) },
    findings,
  };
}

function readAgent(
  name: string,
  value: unknown,
  profiles: readonly string[],
  file: string,
): { readonly entry?: AgentEntry; readonly findings: ValidationIssue[] } {
  const path = ['agents', name];
  const result = agentSchemas().agentSchema.safeParse(value, parseOptions);
  const findings = [...nameFindings(name), ...toIssues(result, value, path).map(ofOtherRuntime)];
  if (!result.success) return { findings };
  const { cwd, ...settings } = result.data;
  const { profile } = settings;
  if (profile !== undefined && !profiles.includes(profile))
    findings.push({
      path: [...path, 'profile'],
      message: `there is no profile ${JSON.stringify(profile)}`,
      ...didYouMean(closestMatch(profile, profiles)),
    });
  findings.push(...writtenSecrets(settings, path));
  if (findings.length > 0) return { findings };
  const directory = dirname(file);
  const placed = cwd === undefined ? settings : { ...settings, cwd: resolve(directory, cwd) };
  return { entry: { ...withProgram(placed, directory), name }, findings };
}

/** A program that is named by a path, and not only by its name, is found from the configuration. */
function withProgram(settings: AgentSettings, directory: string): AgentSettings {
  if (settings.runtime === 'model' || settings.executable?.includes('/') !== true) return settings;
  return { ...settings, executable: resolve(directory, settings.executable) };
}

function nameFindings(name: string): ValidationIssue[] {
  const path = ['agents', name];
  if (name === demo.name)
    return [{ path, message: 'the name belongs to the agent that needs no key', hint: 'rename it' }];
  return nameIssues(path, name);
}

/** A key that another runtime knows is no typing error. */
function ofOtherRuntime(finding: ValidationIssue): ValidationIssue {
  const [, , key] = finding.path;
  const owner = typeof key === 'string' ? agentSchemas().runtimesOf.get(key) : undefined;
  if (owner === undefined || finding.path.length !== 3 || !finding.message.startsWith('unknown key')) return finding;
  return { path: finding.path, message: `is for agents with the runtime ${owner}` };
}

/** Credentials that are written out: whoever reads the file would have them. */
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
