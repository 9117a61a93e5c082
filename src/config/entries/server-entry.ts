import { basename, dirname, resolve } from 'node:path';
import { assertServerName } from '../../core/tools/tool-names.ts';
import { limitsOf } from '../../catalog/source/source.ts';
import { findDuplicateKeys } from '../../catalog/transforms/shaping/shaping-keys.ts';
import { SignalboxError } from '../../core/errors.ts';
import { parseDurationMs } from '../../core/text/duration.ts';
import type { ServerEntry } from '../configuration.ts';
import {
  type CommonSettings,
  type ExternalSettings,
  type ToolSettings,
  externalParts,
  localParts,
  undecidedSchema,
} from '../schema/configuration-schema.ts';
import { hasKey, parseOptions } from '../schema/schema-parts.ts';
import { type ValidationIssue, toIssues } from './validation-issue.ts';

/** The result of reading one server entry. */
export interface EntryReading {
  readonly entry?: ServerEntry;
  readonly issues: readonly ValidationIssue[];
  readonly warnings: readonly string[];
}

const decisiveKeys = ['module', 'command', 'url', 'npm'] as const;
const decisiveKeysText = '"module", "command", "url" or "npm"';

/** Reads one entry of `mcpServers`. Its keys determine the kind of server. */
export function readServerEntry(name: string, value: unknown, file: string): EntryReading {
  const path = ['mcpServers', name];
  const issues = serverNameIssues(name);
  const [first, second] = decisiveKeys.filter((key) => hasKey(value, key));
  if (first === undefined) return invalid(...issues, ...undecidedIssues(value, path));
  if (second !== undefined) {
    return invalid(...issues, {
      path: [...path, second],
      message: `cannot be combined with "${first}", expected only one of ${decisiveKeysText}`,
    });
  }

  const directory = dirname(file);
  if (first === 'module') {
    const result = localParts.for(value).safeParse(value, parseOptions);
    issues.push(...toIssues(result, value, path), ...shapingIssues(result.data?.tools, path));
    if (!result.success || issues.length > 0) return invalid(...issues);
    const { module, export: exported } = result.data;
    const entry: ServerEntry = {
      kind: 'local',
      name,
      module: resolve(directory, module),
      ...(exported === undefined ? {} : { export: exported }),
      ...commonSettings(result.data, file),
    };
    return { entry, issues, warnings: [] };
  }

  const result = externalParts.for(value).safeParse(value, parseOptions);
  issues.push(...toIssues(result, value, path));
  if (result.success)
    issues.push(
      ...transportIssues(result.data, path),
      ...authIssues(result.data, path),
      ...passthroughIssues(result.data, path),
      ...shapingIssues(result.data.tools, path),
    );
  if (!result.success || issues.length > 0) return invalid(...issues);
  const { tools, labels, disabled, required, timeoutMs, concurrency, rateLimit, cache, results, ...others } =
    result.data;
  const { workspace, roots, ...settings } = others;
  const { type, url, cwd = '.' } = settings;
  const transport = url === undefined ? 'stdio' : type === 'sse' ? 'sse' : 'http';
  const common = commonSettings(result.data, file);
  const startsProgram = transport === 'stdio' && workspace !== undefined;
  const entry: ServerEntry = {
    kind: 'external',
    name,
    transport,
    ...common,
    limits: startsProgram ? { ...common.limits, cwd: resolve(directory, cwd) } : common.limits,
    settings: {
      ...settings,
      ...(roots === undefined ? {} : { roots: roots.map((root) => resolve(directory, root)) }),
    },
  };
  const warnings = type === 'websocket' ? [`mcpServers.${name}: type "websocket" is read as "http"`] : [];
  return { entry, issues, warnings };
}

function invalid(...issues: readonly ValidationIssue[]): EntryReading {
  return { issues, warnings: [] };
}

function serverNameIssues(name: string): ValidationIssue[] {
  try {
    assertServerName(name);
    return [];
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error;
    return [{ path: ['mcpServers', name], message: error.message }];
  }
}

function undecidedIssues(value: unknown, path: readonly string[]): ValidationIssue[] {
  const issues = toIssues(undecidedSchema().safeParse(value, parseOptions), value, path);
  // A mistyped key explains the missing one.
  const isExplained = issues.some(({ path: place, hint }) => place.length === path.length || hint !== undefined);
  return isExplained ? issues : [...issues, { path, message: `missing, expected one of ${decisiveKeysText}` }];
}

function transportIssues(settings: ExternalSettings, path: readonly string[]): ValidationIssue[] {
  const { type, url, idleStopMs } = settings;
  if (url !== undefined && idleStopMs !== undefined)
    return [{ path: [...path, 'idleStopMs'], message: 'cannot be combined with "url": only a process can be stopped' }];
  if (type === undefined || (type === 'stdio') === (url === undefined)) return addressIssues(settings, path);
  const message = type === 'stdio' ? '"stdio" has no "url", expected "command" or "npm"' : `"${type}" needs "url"`;
  return [{ path: [...path, 'type'], message }];
}

/** Checks the protocol of an address. An address that is a reference is resolved only when the server is started. */
function addressIssues({ type, url }: ExternalSettings, path: readonly string[]): ValidationIssue[] {
  const expected = type === 'websocket' ? /^(?:https?:\/\/|wss?:\/\/|\$\{)/i : /^(?:https?:\/\/|\$\{)/i;
  if (url === undefined || expected.test(url)) return [];
  return [{ path: [...path, 'url'], message: 'is not a valid URL, expected http://… or https://…' }];
}

/** Returns the parts of an entry that servers of every kind have. */
function commonSettings(
  { tools, labels, disabled = false, required, ...limits }: CommonSettings,
  file: string,
): Pick<ServerEntry, 'disabled' | 'required' | 'tools' | 'limits'> {
  const { timeoutMs, concurrency, rateLimit, cache, workspace, results } = limits;
  const isShaped = tools !== undefined || labels !== undefined;
  const shaping = { ...tools, origin: basename(file), ...(labels === undefined ? {} : { serverLabels: labels }) };
  return {
    disabled,
    ...(required === undefined ? {} : { required }),
    ...(isShaped ? { tools: shaping } : {}),
    limits: limitsOf({
      timeoutMs,
      concurrency,
      rateLimit: rateLimit && { max: rateLimit.max, perMs: parseDurationMs(rateLimit.per) ?? 0 },
      cacheMs: cache === undefined ? undefined : parseDurationMs(cache),
      workspace: workspace?.map((each) => resolve(dirname(file), each)),
      results,
    }),
  };
}

/** Returns the contradictions in a `tools` block. */
function shapingIssues(settings: ToolSettings | undefined, entry: readonly string[]): ValidationIssue[] {
  if (settings === undefined) return [];
  const path = [...entry, 'tools'];
  const duplicates = findDuplicateKeys({ ...settings, origin: '' }).map(({ section, first, second }) => ({
    path: [...path, section, second],
    message: `is the same tool as ${JSON.stringify(first)}, by its other name`,
    hint: 'keep one of the two',
  }));
  const both = Object.entries(settings.arguments ?? {}).flatMap(([tool, { default: defaults = {}, set = {} }]) =>
    Object.keys(set)
      .filter((name) => Object.hasOwn(defaults, name))
      .map((name) => ({
        path: [...path, 'arguments', tool, 'set', name],
        message: 'has a "default" too, which could never apply',
        hint: 'keep one of the two',
      })),
  );
  return [...duplicates, ...both];
}

const passedOn = new Set('type command args env url headers auth npm disabled passthrough trackInvocations'.split(' '));

/** Returns an issue for each key that has no effect, because Claude connects to the server directly. */
function passthroughIssues(settings: ExternalSettings, path: readonly string[]): ValidationIssue[] {
  if (settings.passthrough !== true) return [];
  const issues = Object.keys(settings)
    .filter((key) => !passedOn.has(key))
    .map((key): ValidationIssue => ({
      path: [...path, key],
      message: 'has no effect with "passthrough": Claude connects to the server directly',
      hint: 'remove one of the two',
    }));
  if (settings.auth?.type !== 'oauth') return issues;
  const message = '"oauth" cannot be combined with "passthrough": Claude would have to sign in';
  return [...issues, { path: [...path, 'auth', 'type'], message, hint: 'use "bearer", or remove "passthrough"' }];
}

/** The keys of `auth` that are valid with one grant only. */
const grantOfKey = { privateKey: 'client_credentials', assertionFile: 'jwt_bearer' } as const;

function authIssues({ auth, url }: ExternalSettings, path: readonly string[]): ValidationIssue[] {
  if (auth === undefined) return [];
  if (url === undefined)
    return [{ path: [...path, 'auth'], message: 'is for servers with "url"; a program gets "env"' }];
  if (auth.type !== 'oauth') return [];
  const { grant = 'authorization_code' } = auth;
  const misplaced = Object.entries(grantOfKey)
    .filter(([key, needed]) => hasKey(auth, key) && needed !== grant)
    .map(([key, needed]) => ({ path: [...path, 'auth', key], message: `is only for the grant "${needed}"` }));
  if (grant === 'authorization_code') return misplaced;
  const own = grant === 'jwt_bearer' ? 'assertionFile' : auth.privateKey === undefined ? 'clientSecret' : 'privateKey';
  const missing = (['clientId', own] as const)
    .filter((key) => auth[key] === undefined)
    .map((key) => ({ path: [...path, 'auth', key], message: `missing, "${grant}" needs it` }));
  return [...misplaced, ...missing];
}
