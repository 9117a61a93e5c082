import type { Requirement } from '../../requirements/requirement.ts';
import type { TestResult } from './test-file.ts';

/** Returns the tests of the requirements that do not exist or did not pass. */
export function missingEvidence(
  requirements: Readonly<Record<string, Requirement>>,
  results: readonly TestResult[],
): string[] {
  const states = new Map(results.map(({ id, state }) => [id, state]));
  return Object.entries(requirements).flatMap(([id, { tests }]) =>
    tests
      .filter((test) => states.get(test) !== 'passed')
      .map((test) => `${id}: "${test}" ${states.get(test) ?? 'does not exist'}`),
  );
}
