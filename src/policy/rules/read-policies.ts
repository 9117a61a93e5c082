import { isJsonObject, jsonPath } from '../../core/json/json.ts';
import { ConditionCompiler } from '../conditions/condition.ts';
import type { FactRequirements } from '../facts/facts.ts';
import { WindowMeters } from '../conditions/condition-language.ts';
import { PolicyError, type PolicyProblem } from './policy-error.ts';
import { type Rule, type RuleKind, versionOf } from './rule.ts';
import { readRule } from './read-rule.ts';
import type { RuleFinding, RulePath } from './object-reader.ts';
import { namesInRule } from './rule-warnings.ts';

/** Line and column, both counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A policy as written, with the locations of its parts. */
export interface PolicyDocument {
  readonly value: unknown;
  /** The display name of the file: `policies.yaml`. */
  readonly file: string;
  /** The path of the file, for problems. */
  readonly path?: string;
  /** Returns the location of a part, or of an offset inside a text; `undefined` for rules that were not read from a file. */
  placeOf(path: RulePath, offset?: number): Place | undefined;
}

/** The rules of one or more documents, and the facts that their evaluation needs. */
export interface RuleSet {
  readonly rules: readonly Rule[];
  /** Changes whenever a rule does. */
  readonly version: string;
  readonly sessionRequirements: FactRequirements;
  readonly principalRequirements: FactRequirements;
  /** The period for which facts of a principal are needed, in milliseconds; 0 when no rule reads them. */
  readonly principalWindowMs: number;
}

const maxRules = 5000;
const defaultBuiltin = 'signalbox';
const forwardingTool = 'call_tool';

/**
 * Reads policies. Throws a `PolicyError` with all problems. `builtin` is the name of the built-in server, whose `call_tool`
 * cannot be the subject of rules.
 */
export function readPolicies(
  documents: readonly PolicyDocument[],
  builtin: string | undefined = defaultBuiltin,
): RuleSet {
  const meters = new WindowMeters();
  const compiler = new ConditionCompiler(meters);
  const problems: PolicyProblem[] = [];
  const ids = new Map<string, string>();
  const rules = documents.flatMap((document) => {
    const { value } = document;
    const report = (finding: RuleFinding): void => void problems.push(problemOf(document, finding));
    if (!Array.isArray(value) || value.length > maxRules) {
      const message = Array.isArray(value) ? `more than ${maxRules} rules` : 'expected a list of rules';
      report({ path: [], message });
      return [];
    }
    return value.flatMap((each: unknown, index) => {
      const path = [index];
      if (!isJsonObject(each)) {
        report({ path, message: 'expected a rule: an object with "id" and an answer' });
        return [];
      }
      const place = document.placeOf(path);
      const { rule, findings } = readRule(each, path, compiler, place && `${document.file}:${place.line}`);
      findings.forEach(report);
      if (rule !== undefined)
        findForwardingNames(rule, builtin).forEach(({ key, name }) => report(forwardingFinding(index, key, name)));
      const { id } = each;
      if (typeof id === 'string') {
        const first = ids.get(id);
        if (first !== undefined)
          report({ path: [index, 'id'], message: `${JSON.stringify(id)} is already the id of ${first}` });
        else ids.set(id, place === undefined ? 'an earlier rule' : `the rule at ${document.file}:${place.line}`);
      }
      return rule ?? [];
    });
  });
  if (problems.length > 0)
    throw new PolicyError(
      problems.toSorted((a, b) => (a.file === b.file ? a.line - b.line || a.column - b.column : 0)),
    );
  let version: string | undefined;
  return {
    rules,
    // Computed lazily, because rules are also read only for validation.
    get version() {
      return (version ??= versionOf(rules.map(({ source }) => source)));
    },
    ...requirementsOf(rules, meters),
  };
}

/** Returns the names in a rule that match the forwarding tool. */
function findForwardingNames(rule: Rule, builtin: string): readonly { readonly key: string; readonly name: string }[] {
  return namesInRule(rule).filter(
    ({ what, name }) => what === 'tool' && (name === forwardingTool || name === `mcp__${builtin}__${forwardingTool}`),
  );
}

function forwardingFinding(index: number, key: string, name: string): RuleFinding {
  const [top = key] = key.split('.', 1);
  return {
    path: [index, top],
    message: `${name} only forwards calls: each is decided, counted and recorded as a call of the tool that it names`,
    hint: 'write the rule for those tools; to remove call_tool, set "disclosure": "never" in the profile',
  };
}

function requirementsOf(
  rules: readonly Rule[],
  windows: WindowMeters,
): Pick<RuleSet, 'sessionRequirements' | 'principalRequirements' | 'principalWindowMs'> {
  const kinds = rules.map(({ kind }) => kind);
  const scoped = kinds.flatMap((kind) => (kind.type === 'limit' ? kind.meters : []));
  const metersBy = (by: string): FactRequirements['meters'] =>
    scoped.flatMap((each) => (each.by === by ? each.meter : []));
  const flows = kinds.filter((kind) => kind.type === 'flow');
  return {
    sessionRequirements: {
      meters: [...windows.all(), ...metersBy('session')],
      tracks: kinds.flatMap((kind) => (kind.type === 'readBeforeWrite' ? kind.track : [])),
      trackedLabels: [],
    },
    principalRequirements: {
      meters: metersBy('principal'),
      tracks: [],
      trackedLabels: [...new Set(flows.flatMap(({ from }) => from))],
    },
    principalWindowMs: Math.max(
      0,
      ...metersBy('principal').map(({ windowMs = 0 }) => windowMs),
      ...kinds.map(principalWindowOf),
    ),
  };
}

/** Returns the period for which a rule reads facts of the principal, besides meters, in milliseconds. */
function principalWindowOf(kind: RuleKind): number {
  switch (kind.type) {
    case 'match':
    case 'readBeforeWrite':
    case 'limit':
      return 0;
    case 'requires':
      return kind.by === 'session' ? 0 : kind.windowMs;
    case 'flow':
      return kind.labels === 'principal' ? kind.windowMs : 0;
  }
}

function problemOf(document: PolicyDocument, { path, message, hint, offset }: RuleFinding): PolicyProblem {
  const place = document.placeOf(path, offset) ?? { line: 0, column: 0 };
  return {
    file: document.path ?? document.file,
    ...place,
    path: jsonPath(path).slice(1),
    message,
    ...(hint === undefined ? {} : { hint }),
  };
}
