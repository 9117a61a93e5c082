import { basename, dirname, resolve } from 'node:path';
import type { ProfilesByName } from '../../catalog/profile.ts';
import { type JsonObject, isJsonObject } from '../../core/json/json.ts';
import { parseDurationMs } from '../../core/text/duration.ts';
import { ConfigurationError } from '../configuration-error.ts';
import { type Configuration, defaultConfiguration } from '../configuration.ts';
import { readAgents, runtimeServers } from '../entries/agent-entry.ts';
import { readServerEntry } from '../entries/server-entry.ts';
import { type ValidationIssue, nameIssues, toIssues, didYouMean } from '../entries/validation-issue.ts';
import { documentParts } from '../schema/configuration-schema.ts';
import type { OAuthSettings } from '../schema/oauth-schema.ts';
import { parseOptions } from '../schema/schema-parts.ts';
import { readTextFile } from './configuration-files.ts';
import { displayPath } from './displayed-value.ts';
import { type DocumentPath, type DocumentPlace, type JsonDocument, parseJsonDocument } from './json-document.ts';

/** Reads a configuration file. Throws a `ConfigurationError` with all of its problems. */
export function loadConfiguration(file: string): Configuration {
  return parseConfiguration(readTextFile(file), file);
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

function readDocument(
  document: JsonDocument,
  file: string,
): { readonly configuration: Configuration; readonly issues: readonly ValidationIssue[] } {
  const { value } = document;
  const directory = dirname(file);
  const defaults = defaultConfiguration(directory);
  const result = documentParts.for(value).safeParse(value, parseOptions);
  const { store = defaults.store, results = defaults.results, undo = defaults.undo, oauth } = result.data ?? {};
  const { profiles = defaults.profiles, policies, approvals, retention, startup, secrets } = result.data ?? {};
  const builtinName = result.data?.builtin?.name ?? defaults.builtinName;

  const entries = entriesOf(value, 'mcpServers');
  const readings = Object.entries(entries).map(([name, entry]) => readServerEntry(name, entry, file));
  const profileNames = Object.keys(entriesOf(value, 'profiles'));
  const { agents, issues: agentIssues } = readAgents(entriesOf(value, 'agents'), profileNames, file);
  const issues = [
    ...toIssues(result, value, []),
    ...agentIssues,
    ...profileNames.flatMap((name) => nameIssues(['profiles', name], name)),
    ...takenNames(entries, builtinName),
    ...oauthIssues(oauth, profileNames),
    ...readings.flatMap((reading) => reading.issues),
  ];

  const configuration = {
    file,
    directory,
    servers: readings.flatMap(({ entry }) => entry ?? []),
    policies: policiesOf(policies, document, file),
    store,
    results,
    undo,
    approvals: { expireAfterMs: parseDurationMs(approvals?.expireAfter ?? '') ?? defaults.approvals.expireAfterMs },
    retention: retention && {
      journalMs: parseDurationMs(retention.journal) ?? Infinity,
      exportTo: resolve(directory, retention.exportTo),
    },
    startup: {
      concurrency: startup?.concurrency ?? defaults.startup.concurrency,
      waitMs: parseDurationMs(startup?.wait ?? '') ?? defaults.startup.waitMs,
    },
    builtinName,
    agents,
    profiles,
    oauth,
    secrets: [...new Set(secrets)],
    warnings: [
      ...readings.flatMap(({ warnings }) => warnings),
      ...unknownServers(profiles, [builtinName, ...Object.keys(entries)]),
    ],
    // Any other value is an issue, and the configuration is not returned.
    document: isJsonObject(value) ? value : {},
  };
  return { configuration, issues };
}

function policiesOf(given: unknown, document: JsonDocument, file: string): Configuration['policies'] {
  if (typeof given === 'string') return { path: resolve(dirname(file), given), name: given };
  if (given === undefined) return undefined;
  const placeOf = (path: DocumentPath): DocumentPlace => document.placeOf(document.offsetOf(['policies', ...path]));
  return { value: given, file: basename(file), path: file, placeOf };
}

/** Returns the named entries under a key, also of a document with other issues. */
function entriesOf(value: unknown, key: 'mcpServers' | 'profiles' | 'agents'): JsonObject {
  const entries = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isJsonObject(entries) ? entries : {};
}

/** Returns an issue for each server with a reserved name: that of the built-in server, or of the tools of runtimes. */
function takenNames(entries: JsonObject, builtinName: string): ValidationIssue[] {
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
        const { hint } = didYouMean(server, known);
        const message = `profiles.${name}.servers: there is no server ${JSON.stringify(server)}`;
        return hint === undefined ? message : `${message}; ${hint}`;
      }),
  );
}

function invalid(file: string, document: JsonDocument, issues: readonly ValidationIssue[]): ConfigurationError {
  const problems = issues
    .map((issue) => ({ ...issue, offset: issue.offset ?? document.offsetOf(issue.path) }))
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ path, message, hint, offset }) => ({
      file,
      ...document.placeOf(offset),
      path: displayPath(path),
      message,
      ...(hint !== undefined && { hint }),
    }));
  return new ConfigurationError('configuration-invalid', problems);
}

/** Returns the issues that a schema cannot detect: duplicate issuers, and scopes for unknown profiles. */
function oauthIssues(oauth: OAuthSettings | undefined, profiles: readonly string[]): ValidationIssue[] {
  const issuers = oauth?.issuers ?? [];
  return issuers.flatMap(({ issuer, scopes = {} }, index) => {
    const path = ['oauth', 'issuers', index];
    const isFirst = issuers.findIndex((each) => each.issuer === issuer) === index;
    const twice = { path: [...path, 'issuer'], message: 'the issuer is listed twice' };
    const unknown = Object.entries(scopes).flatMap(([scope, { profile }]) =>
      profile === undefined || profiles.includes(profile)
        ? []
        : {
            path: [...path, 'scopes', scope, 'profile'],
            message: `there is no profile ${JSON.stringify(profile)}`,
            ...didYouMean(profile, profiles),
          },
    );
    return isFirst ? unknown : [twice, ...unknown];
  });
}
