import { basename, dirname, resolve } from 'node:path';
import { assertServerName } from '../../core/tools/tool-names.ts';
import { type SourceLimits, limitsOf } from '../../catalog/source/source.ts';
import { SignalboxError } from '../../core/errors.ts';
import { parseDurationMs } from '../../core/text/duration.ts';
import type { ServerEntry } from '../configuration.ts';
import { externalParts, localParts, undecidedSchema } from '../schema/configuration-schema.ts';
import type { ExternalSettings, LimitSettings } from '../schema/configuration-schema.ts';
import { hasKey, parseOptions } from '../schema/schema-parts.ts';
import { shapingIssues, toToolShaping } from './tool-settings.ts';
import { toIssues } from './validation-issue.ts';
import type { ValidationIssue } from './validation-issue.ts';

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
      message: `stands beside "${first}", expected only one of ${decisiveKeysText}`,
    });
  }

  if (first === 'module') {
    const result = localParts.for(value).safeParse(value, parseOptions);
    issues.push(...toIssues(result, value, path), ...shapingIssues(result.data?.tools, path));
    if (!result.success || issues.length > 0) return invalid(...issues);
    const { module, disabled = false, required, tools, labels, export: exported } = result.data;
    const absolute = resolve(dirname(file), module);
    return {
      entry: {
        kind: 'local',
        name,
        module: absolute,
        ...(exported === undefined ? {} : { export: exported }),
        disabled,
        ...(required === undefined ? {} : { required }),
        ...toToolShaping(tools, labels, basename(file)),
        limits: toSourceLimits(result.data, dirname(file)),
      },
      issues,
      warnings: [],
    };
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
  const {
    tools,
    labels,
    disabled = false,
    required,
    timeoutMs,
    concurrency,
    rateLimit,
    cache,
    workspace,
    results,
    roots,
    ...others
  } = result.data;
  const settings = {
    ...others,
    ...(roots === undefined ? {} : { roots: roots.map((root) => resolve(dirname(file), root)) }),
  };
  const { type, url } = settings;
  const transport = url === undefined ? 'stdio' : type === 'sse' ? 'sse' : 'http';
  const warnings = type === 'websocket' ? [`mcpServers.${name}: type "websocket" is read as "http"`] : [];
  const limits = toSourceLimits({ timeoutMs, concurrency, rateLimit, cache, workspace, results }, dirname(file));
  const startsProgram = transport === 'stdio' && workspace !== undefined;
  const entry: ServerEntry = {
    kind: 'external',
    name,
    transport,
    disabled,
    ...(required === undefined ? {} : { required }),
    ...toToolShaping(tools, labels, basename(file)),
    limits: startsProgram ? { ...limits, cwd: resolve(dirname(file), settings.cwd ?? '.') } : limits,
    settings,
  };
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
    return [
      { path: [...path, 'idleStopMs'], message: 'stands beside "url": only a server that is a process can be stopped' },
    ];
  if (type === undefined || (type === 'stdio') === (url === undefined)) return addressIssues(settings, path);
  const message = type === 'stdio' ? '"stdio" has no "url", expected "command" or "npm"' : `"${type}" needs "url"`;
  return [{ path: [...path, 'type'], message }];
}

/** Checks the protocol of an address. An address that is a reference is resolved only when the server is started. */
function addressIssues({ type, url }: ExternalSettings, path: readonly string[]): ValidationIssue[] {
  const expected = type === 'websocket' ? /^(?:https?:\/\/|wss?:\/\/|\$\{)/i : /^(?:https?:\/\/|\$\{)/i;
  if (url === undefined || expected.test(url)) return [];
  return [{ path: [...path, 'url'], message: 'is not an address of the web, expected http://… or https://…' }];
}

function toSourceLimits(
  { timeoutMs, concurrency, rateLimit, cache, workspace, results }: LimitSettings,
  directory: string,
): SourceLimits {
  return limitsOf({
    timeoutMs,
    concurrency,
    rateLimit: rateLimit && { max: rateLimit.max, perMs: parseDurationMs(rateLimit.per) ?? 0 },
    cacheMs: cache === undefined ? undefined : parseDurationMs(cache),
    workspace: workspace?.map((each) => resolve(directory, each)),
    results,
  });
}

const passedOn = new Set('type command args env url headers auth npm disabled passthrough trackInvocations'.split(' '));

/** Returns an issue for each key that has no effect, because Claude connects to the server directly. */
function passthroughIssues(settings: ExternalSettings, path: readonly string[]): ValidationIssue[] {
  if (settings.passthrough !== true) return [];
  const issues = Object.keys(settings)
    .filter((key) => !passedOn.has(key))
    .map((key): ValidationIssue => ({
      path: [...path, key],
      message: 'stands beside "passthrough": Claude reaches the server by itself, so it would have no effect',
      hint: 'take one of the two out',
    }));
  if (settings.auth?.type !== 'oauth') return issues;
  const message = '"oauth" stands beside "passthrough": Claude would have to sign in by itself';
  return [...issues, { path: [...path, 'auth', 'type'], message, hint: 'use "bearer", or take "passthrough" out' }];
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
