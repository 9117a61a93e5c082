import type { CallOutcome } from '../../core/calls/call-outcome.ts';
import type { Decision } from '../../core/calls/decision.ts';
import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import type { StoredEntry } from '../../journal/entries/stored-entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Store } from '../../journal/store/store.ts';
import type { ToolPolicy } from '../../policy/code-policy.ts';
import type { PolicyInput, Policy } from '../../policy/policy.ts';
import { type Call, toolOf, workspaceOf } from '../call-lifecycle.ts';
import { SessionFacts } from './session-facts.ts';
import type { PolicySource, RuleSource } from './compile-policies.ts';
import { recordableArguments } from '../recording/call-entries.ts';
import { resolve } from 'node:path';

/** The rules in force, the code beside them, and the past they look at. */
export interface PolicySet {
  readonly policy: Policy;
  readonly code: readonly ToolPolicy[];
  readonly facts: SessionFacts;
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
export class ActivePolicies {
  readonly #store: Store;
  readonly #builtin: string | undefined;
  #inForce: PolicySet | undefined;

  /** `builtin` is the name of the built-in server. */
  constructor(store: Store, journal: Journal, builtin?: string) {
    this.#store = store;
    this.#builtin = builtin;
    journal.subscribe((entry) => this.#observe(entry));
  }

  /** Must not throw: the journal has written the entry, and calls wait for it to say so. */
  #observe(entry: StoredEntry): void {
    const inForce = this.#inForce;
    try {
      inForce?.facts.observe(entry);
    } catch {
      // The journal has it all: everything is read from it again, and what cannot be read denies.
      if (inForce !== undefined)
        this.#inForce = { ...inForce, facts: new SessionFacts(inForce.policy, this.#store, inForce.facts) };
    }
  }

  /** Absent when there is no policy: then the default holds and no past is kept. */
  get current(): PolicySet | undefined {
    return this.#inForce;
  }

  /** Whether a call has to be counted again when its intent is in the journal: other processes may count at the same time. */
  countsAgain(call: Call): boolean {
    const inForce = this.#inForce;
    return inForce?.facts.isShared === true && inForce.policy.isCounted(toolOf(call).definition);
  }

  /** Counts a call again. Returns the denial when calls of other processes reached a limit before it. */
  async recount(call: Call, seq: number): Promise<Decision | undefined> {
    const inForce = this.#inForce;
    const { answer, ruled } = call.decision ?? {};
    const isAsked = answer === 'ask' || ruled?.answer === 'ask';
    return await inForce?.facts.recount(call.id, seq, (past) =>
      inForce.policy.denyOverLimit(toPolicyInput(call), past, isAsked),
    );
  }

  /** A call runs: what will be needed at its end is made meanwhile. */
  running(call: Call): void {
    if (this.#inForce !== undefined) call.recordedArguments = recordedArguments(call);
  }

  /** How a call ended is about to be recorded: what the entry will say of it need not be read there. */
  ending(call: Call, { outcome }: CallOutcome): void {
    const book = this.#inForce?.facts;
    if (book === undefined || outcome !== 'completed' || !call.isRecordedWhole || call.decision === undefined) return;
    const { definition, naming } = toolOf(call);
    const { effect, labels } = definition;
    // What labelled tools said is recognised again: as far as it is recorded.
    if (labels.length > 0) return;
    const args = call.recordedArguments ?? recordedArguments(call);
    book.ended(call.id, { naming, effect, labels, ok: true, arguments: args, output: '', cost: call.costUsd ?? 0 });
  }

  summary(): PolicySummary {
    if (this.#inForce === undefined) return { rules: [], code: [] };
    const { policy, code } = this.#inForce;
    const rules = policy.rules.map(({ source, at }) => ({ rule: source, ...(at === undefined ? {} : { at }) }));
    return { version: policy.version, rules, code: code.map(({ name }) => name) };
  }

  /** Puts other policies in force, all or none of them. Rejects with a `PolicyError` that tells everything that is wrong. */
  async set(
    sources: readonly PolicySource[],
    { keepCode = false }: { readonly keepCode?: boolean } = {},
  ): Promise<void> {
    const kept = keepCode ? (this.#inForce?.code ?? []) : [];
    if (sources.length === 0 && kept.length === 0) {
      this.#inForce = undefined;
      return;
    }
    // Imported when it is needed: not every box has rules.
    const { compilePolicies } = await import('./compile-policies.ts');
    const code = [...kept, ...sources.filter(isCode)];
    const rules = sources.filter((source): source is RuleSource => !isCode(source));
    const policy = compilePolicies(rules, this.#builtin);
    this.#inForce = { policy, code, facts: new SessionFacts(policy, this.#store, this.#inForce?.facts) };
  }
}

/** Returns a call as rules see it. */
export function toPolicyInput(call: Call): PolicyInput {
  return {
    id: call.id,
    at: Date.now(),
    tool: toolOf(call).definition,
    arguments: call.argumentsJson,
    size: call.argumentsText.length,
    directory: directoryOf(workspaceOf(call)),
    principal: call.principal,
    session: call.session,
  };
}

/** Not the ones that the tool was given: it may have changed them. */
function recordedArguments({ argumentsText }: Call): JsonObject {
  return JSON.parse(recordableArguments(argumentsText)) as JsonObject;
}

function isCode(source: PolicySource): source is ToolPolicy {
  return 'check' in source && typeof source.check === 'function';
}

const known = new WeakMap<readonly string[], string>();

/** Returns the directory that relative paths are relative to: the workspace of a tool that has exactly one. */
export function directoryOf(workspace: readonly string[] | undefined): string | undefined {
  const only = workspace?.length === 1 ? workspace[0] : undefined;
  if (workspace === undefined || only === undefined) return undefined;
  let directory = known.get(workspace);
  if (directory === undefined) known.set(workspace, (directory = resolve(only)));
  return directory;
}
