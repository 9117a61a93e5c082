import type { Journal } from '../journal/journal.ts';
import type { Store } from '../journal/store.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { Policy } from '../policy/policy.ts';
import { policyText } from '../policy/policy-text.ts';
import { type PolicyDocument, readPolicies } from '../policy/read-policy.ts';
import type { ToolPolicy } from '../policy/tool-policy.ts';
import { FactBook } from './fact-book.ts';

/** A policy: a rule, the text of a file of rules, or code. */
export type PolicySource = ToolPolicy | JsonObject | PolicyText | PolicyDocument;

/** The text of a file of rules, as YAML. */
export interface PolicyText {
  readonly text: string;
  /** What the rules are said to stand in. */
  readonly file: string;
}

/** The rules in force, the code beside them, and the past they look at. */
export interface PoliciesInForce {
  readonly policy: Policy;
  readonly code: readonly ToolPolicy[];
  readonly book: FactBook;
}

/** The policies in force, for people. */
export interface PolicySummary {
  /** Changes whenever a rule does; absent while there is no policy. */
  readonly version?: string;
  /** The rules as they were written, each with where it stands. */
  readonly rules: readonly { readonly rule: JsonValue; readonly at?: string }[];
  /** The names of the policies in code. */
  readonly code: readonly string[];
}

/** Keeps the policies in force; they can be changed while calls run. */
export class Policies {
  readonly #store: Store;
  #inForce: PoliciesInForce | undefined;

  constructor(store: Store, journal: Journal, sources: readonly PolicySource[]) {
    this.#store = store;
    this.set(sources);
    journal.subscribe((entry) => this.#inForce?.book.observe(entry));
  }

  /** Absent when there is no policy: then the default holds and no past is kept. */
  get inForce(): PoliciesInForce | undefined {
    return this.#inForce;
  }

  summary(): PolicySummary {
    if (this.#inForce === undefined) return { rules: [], code: [] };
    const { policy, code } = this.#inForce;
    const rules = policy.rules.map(({ source, at }) => ({ rule: source, ...(at === undefined ? {} : { at }) }));
    return { version: policy.version, rules, code: code.map(({ name }) => name) };
  }

  /** Puts other policies in force, all or none of them. Throws a `PolicyError` that tells everything that is wrong. */
  set(sources: readonly PolicySource[]): void {
    const code = sources.filter(isCode);
    const policy = new Policy(readPolicies(documentsOf(sources)));
    const isEmpty = code.length === 0 && policy.rules.length === 0;
    this.#inForce = isEmpty
      ? undefined
      : { policy, code, book: new FactBook(policy, this.#store, this.#inForce?.book) };
  }
}

/** The documents that rules are read from; rules that stand alone make one together. */
function documentsOf(sources: readonly PolicySource[]): readonly PolicyDocument[] {
  const documents: PolicyDocument[] = [];
  const rules: JsonObject[] = [];
  for (const source of sources) {
    if (isCode(source)) continue;
    if (isText(source)) documents.push(policyText(source.text, source.file));
    else if (isDocument(source)) documents.push(source);
    else rules.push(source);
  }
  return rules.length === 0 ? documents : [...documents, { value: rules, file: 'policies', placeOf: () => undefined }];
}

function isCode(source: PolicySource): source is ToolPolicy {
  return 'check' in source && typeof source.check === 'function';
}

function isText(source: PolicySource): source is PolicyText {
  return 'text' in source && 'file' in source;
}

function isDocument(source: PolicySource): source is PolicyDocument {
  return 'placeOf' in source && typeof source.placeOf === 'function';
}
