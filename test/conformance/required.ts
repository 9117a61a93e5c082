import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../support/command.ts';
import type { SuiteResult } from './suite.ts';

/** The tested revisions. */
export const revisions = ['2025-11-25', '2026-07-28'] as const;

/** The role of Signalbox in a run. */
export type Role = 'server' | 'client';

/** The reasons for which scenarios that are not required may fail. */
const unscored: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  { pattern: /^tasks-/, reason: 'the extension for tasks is not served' },
  {
    pattern: /^auth\/enterprise-managed/,
    reason: 'an ID token of the user is needed, and Signalbox does not sign in users at an identity provider',
  },
  {
    pattern: /^auth\/dpop/,
    reason: 'tokens are bearer tokens; the extension that binds them to a key is not supported',
  },
];

/** Scenarios of an older revision that are in no list of requirements. */
export const olderScenarios = {
  '2025-03-26': ['auth/2025-03-26-oauth-metadata-backcompat', 'auth/2025-03-26-oauth-endpoint-fallback'],
} as const;

/** Returns the known reason for which a scenario that is not required may fail. */
export function reasonFor(scenario: string): string | undefined {
  return unscored.find(({ pattern }) => pattern.test(scenario))?.reason;
}

/** Returns the scenarios that a server or a client of this revision must pass, from the list of the suite. */
export async function requiredScenarios(revision: string, role: Role): Promise<string[]> {
  const file = join(root, 'node_modules', '@modelcontextprotocol', 'conformance', 'requirements', `${revision}.yaml`);
  return (parse(await readFile(file, 'utf8')) as Record<Role, string[]>)[role];
}

/** Returns the problems of a scenario. A scenario without any success was not really run. */
export function problemsOf({ scenarios }: SuiteResult, scenario: string): string[] {
  const checks = scenarios.get(scenario);
  if (checks === undefined) return ['it was not run'];
  const failed = checks.filter(({ status }) => status === 'FAILURE');
  if (failed.length > 0) return failed.map(({ id, errorMessage }) => `${id}: ${errorMessage ?? 'no reason given'}`);
  return checks.some(({ status }) => status === 'SUCCESS' || status === 'WARNING') ? [] : ['nothing in it succeeded'];
}
