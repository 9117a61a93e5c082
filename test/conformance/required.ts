import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../support/command.ts';
import type { SuiteResult } from './suite.ts';

/** The revisions that are on trial. */
export const revisions = ['2025-11-25', '2026-07-28'] as const;

/** What Signalbox is in a run. */
export type Role = 'server' | 'client';

/** Why scenarios that are run but not counted may fail. */
const unscored: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  { pattern: /^tasks-/, reason: 'the extension for tasks is not served' },
  {
    pattern: /^auth\/enterprise-managed/,
    reason: 'an ID token of the person is needed, and Signalbox does not sign people in at an identity provider',
  },
  {
    pattern: /^auth\/dpop/,
    reason: 'tokens are bearer tokens; the extension that binds them to a key is not supported',
  },
];

/** Scenarios of an older revision that no list of requirements names. */
export const olderScenarios = {
  '2025-03-26': ['auth/2025-03-26-oauth-metadata-backcompat', 'auth/2025-03-26-oauth-endpoint-fallback'],
} as const;

/** Why a scenario that is not counted may fail, if that is known. */
export function reasonFor(scenario: string): string | undefined {
  return unscored.find(({ pattern }) => pattern.test(scenario))?.reason;
}

/** The scenarios that a server or a client of this revision must pass, as the suite itself lists them. */
export async function requiredScenarios(revision: string, role: Role): Promise<string[]> {
  const file = join(root, 'node_modules', '@modelcontextprotocol', 'conformance', 'requirements', `${revision}.yaml`);
  return (parse(await readFile(file, 'utf8')) as Record<Role, string[]>)[role];
}

/** What is wrong with a scenario; nothing when it passed. A scenario without a single success did not take place. */
export function problemsOf({ scenarios }: SuiteResult, scenario: string): string[] {
  const checks = scenarios.get(scenario);
  if (checks === undefined) return ['it was not run'];
  const failed = checks.filter(({ status }) => status === 'FAILURE');
  if (failed.length > 0) return failed.map(({ id, errorMessage }) => `${id}: ${errorMessage ?? 'no reason given'}`);
  return checks.some(({ status }) => status === 'SUCCESS' || status === 'WARNING') ? [] : ['nothing in it succeeded'];
}
