import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { ProfilesByName } from '../../catalog/profile.ts';
import { messageOf } from '../../core/errors.ts';
import { isJsonObject } from '../../core/json/json.ts';
import { closestMatch } from '../../core/text/closest-match.ts';
import { parseDurationMs } from '../../core/text/duration.ts';
import { type ConfigurationProblem, ConfigurationError } from '../configuration-error.ts';
import { type Configuration, defaultConfiguration } from '../configuration.ts';
import { readAgents, runtimeServers } from '../entries/agent-entry.ts';
import { readServerEntry } from '../entries/server-entry.ts';
import { type ValidationIssue, nameIssues, toIssues, didYouMean } from '../entries/validation-issue.ts';
import { documentParts } from '../schema/configuration-schema.ts';
import type { OAuthSettings } from '../schema/oauth-schema.ts';
import { parseOptions } from '../schema/schema-parts.ts';
import { displayPath } from './displayed-value.ts';
import { type DocumentPath, type DocumentPlace, type JsonDocument, parseJsonDocument } from './json-document.ts';

/** Reads a configuration file. Throws a `ConfigurationError` with all of its problems. */
export function loadConfiguration(file: string): Configuration {
  return parseConfiguration(readText(file), file);
}

/** Parses the text of a configuration file. Throws like `loadConfiguration`. */
export function parseConfiguration(text: string, file: string): Configuration {
  const document = parseJsonDocument(text);
  if (document.value === undefined) throw invalid(file, document, document.problems);
  const absolute = resolve(file);
  const { configuration, issues } = readDocument(document, absolute);
  const all = [...document.problems, ...issues];
  if (all.length > 0) throw invalid(file, document, all);
  return configuration;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    const problem = { file, line: 0, column: 0, path: '', message: `cannot be read: ${messageOf(error)}` };
    throw new ConfigurationError('configuration-unreadable', [problem], { cause: error });
  }
}

interface DocumentReading {
  readonly configuration: Configuration;
  readonly issues: readonly ValidationIssue[];
}

function readDocument(document: JsonDocument, file: string): DocumentReading {
  const { value } = document;
  const directory = dirname(file);
  const defaults = defaultConfiguration(directory);
  const result = documentParts.for(value).safeParse(value, parseOptions);
  const issues = toIssues(result, value, []);
  const builtinName = result.data?.builtin?.name ?? defaults.builtinName;

  const entries = entriesOf(value, 'mcpServers');
  const readings = Object.entries(entries).map(([name, entry]) => readServerEntry(name, entry, file));
  const profiles = result.data?.profiles ?? defaults.profiles;
  const profileNames = Object.keys(entriesOf(value, 'profiles'));
  const { agents, issues: agentIssues } = readAgents(entriesOf(value, 'agents'), profileNames, file);
  issues.push(
    ...agentIssues,
    ...profileNames.flatMap((name) => nameIssues(['profiles', name], name)),
    ...takenNames(entries, builtinName),
    ...oauthIssues(result.data?.oauth, profileNames),
  );

  const configuration = {
    file,
    directory,
    servers: readings.flatMap(({ entry }) => entry ?? []),
    policies: policiesOf(result.data?.policies, document, file),
    store: result.data?.store ?? defaults.store,
    results: result.data?.results ?? defaults.results,
    undo: result.data?.undo ?? defaults.undo,
    approvals: {
      expireAfterMs: parseDurationMs(result.data?.approvals?.expireAfter ?? '') ?? defaults.approvals.expireAfterMs,
    },
    retention: retentionOf(result.data?.retention, directory),
    startup: {
      concurrency: result.data?.startup?.concurrency ?? defaults.startup.concurrency,
      waitMs: parseDurationMs(result.data?.startup?.wait ?? '') ?? defaults.startup.waitMs,
    },
    builtinName,
    agents,
    profiles,
    oauth: result.data?.oauth,
    secrets: [...new Set(result.data?.secrets)],
    warnings: [
      ...readings.flatMap(({ warnings }) => warnings),
      ...unknownServers(profiles, [builtinName, ...Object.keys(entries)]),
    ],
    // Any other value is an issue, and the configuration is not returned.
    document: isJsonObject(value) ? value : {},
  };
  return { configuration, issues: [...issues, ...readings.flatMap((reading) => reading.issues)] };
}

function retentionOf(
  given: { readonly journal: string; readonly exportTo: string } | undefined,
  directory: string,
): Configuration['retention'] {
  const journalMs = parseDurationMs(given?.journal ?? '');
  if (given === undefined || journalMs === undefined) return undefined;
  return { journalMs, exportTo: resolve(directory, given.exportTo) };
}

function policiesOf(given: unknown, document: JsonDocument, file: string): Configuration['policies'] {
  if (typeof given === 'string') return { path: resolve(dirname(file), given), name: given };
  if (given === undefined) return undefined;
  const placeOf = (path: DocumentPath): DocumentPlace => document.placeOf(document.offsetOf(['policies', ...path]));
  return { value: given, file: basename(file), path: file, placeOf };
}

/** Returns the named entries under a key, also of a document with other issues. */
function entriesOf(value: unknown, key: 'mcpServers' | 'profiles' | 'agents'): object {
  const isHolder = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
  const entries = isHolder ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
  return typeof entries === 'object' && entries !== null && !Array.isArray(entries) ? entries : {};
}

/** Returns an issue for each server with a reserved name: that of the built-in server, or of the tools of runtimes. */
function takenNames(entries: object, builtinName: string): ValidationIssue[] {
  const taken = (name: string, owner: string, hint: string): ValidationIssue[] =>
    Object.hasOwn(entries, name) ? [{ path: ['mcpServers', name], message: `the name belongs to ${owner}`, hint }] : [];
  return [
    ...taken(
      builtinName,
      'the built-in server',
      'rename it, or give the built-in server another name with "builtin.name"',
    ),
    ...Object.entries(runtimeServers).flatMap(([name, owner]) => taken(name, owner, 'rename it')),
  ];
}

function unknownServers(profiles: ProfilesByName, known: readonly string[]): string[] {
  return Object.entries(profiles).flatMap(([name, { servers = [] }]) =>
    servers
      .filter((server) => !known.includes(server))
      .map((server) => {
        const meant = closestMatch(server, known);
        const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
        return `profiles.${name}.servers: there is no server ${JSON.stringify(server)}${hint}`;
      }),
  );
}

function invalid(file: string, document: JsonDocument, issues: readonly ValidationIssue[]): ConfigurationError {
  const offsets = new Map(issues.map((finding) => [finding, finding.offset ?? document.offsetOf(finding.path)]));
  const problems = [...offsets]
    .toSorted(([, a], [, b]) => a - b)
    .map(([finding, offset]) => problemOf(file, finding, document.placeOf(offset)));
  return new ConfigurationError('configuration-invalid', problems);
}

function problemOf(file: string, { path, message, hint }: ValidationIssue, place: DocumentPlace): ConfigurationProblem {
  const { line, column } = place;
  return { file, line, column, path: displayPath(path), message, ...(hint !== undefined && { hint }) };
}

/** Returns the issues that a schema cannot detect: duplicate issuers, and scopes for unknown profiles. */
function oauthIssues(oauth: OAuthSettings | undefined, profiles: readonly string[]): ValidationIssue[] {
  const issuers = oauth?.issuers ?? [];
  return issuers.flatMap(({ issuer, scopes = {} }, index) => {
    const path = ['oauth', 'issuers', index];
    const isFirst = issuers.findIndex((each) => each.issuer === issuer) === index;
    const twice = { path: [...path, 'issuer'], message: 'the issuer is named twice' };
    const unknown = Object.entries(scopes).flatMap(([scope, { profile }]) =>
      profile === undefined || profiles.includes(profile)
        ? []
        : {
            path: [...path, 'scopes', scope, 'profile'],
            message: `there is no profile ${JSON.stringify(profile)}`,
            ...didYouMean(closestMatch(profile, profiles)),
          },
    );
    return isFirst ? unknown : [twice, ...unknown];
  });
}
