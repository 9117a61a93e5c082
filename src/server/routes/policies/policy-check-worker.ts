/** The thread behind `PolicyChecker`. */
import { parentPort } from 'node:worker_threads';
import { type RuleSource, compilePolicies } from '../../../pipeline/policies/compile-policies.ts';
import { PolicyError } from '../../../policy/rules/policy-error.ts';
import { type PolicyCheck, maxProblems } from './policy-checks.ts';

parentPort?.on('message', (sources: readonly RuleSource[]) => parentPort?.postMessage(check(sources), []));

function check(sources: readonly RuleSource[]): PolicyCheck {
  try {
    const { version, rules } = compilePolicies(sources);
    return { valid: true, version, rules: rules.length, problems: [] };
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    const problems = error.problems.slice(0, maxProblems).map(({ file: _, ...problem }) => problem);
    return { valid: false, rules: 0, problems };
  }
}
