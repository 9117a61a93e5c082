import type { CallOutcome } from '../../core/calls/call-outcome.ts';
import type { Decision } from '../../core/calls/decision.ts';
import type { SourceLimits } from '../../catalog/source/source.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { JsonValue } from '../../core/json/json.ts';
import type { StoredEntry } from '../../journal/entries/stored-entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Store } from '../../journal/store/store.ts';
import type { ToolPolicy } from '../../policy/code-policy.ts';
import type { PolicyInput } from '../../policy/policy.ts';
import { type Call, type DecidedCall, type PreparedCall, workspaceOf } from '../call-lifecycle.ts';
import { type PolicySet, SessionFacts } from './session-facts.ts';
import type { HostPolicySource, HostRuleSource } from './compile-policies.ts';
import { recordedArguments } from '../recording/call-entries.ts';
import { resolve } from 'node:path';

/** The public summary of the active policies. */
export interface PolicySummary {
  /** The version, which changes with every rule; absent without policies. */
  readonly version?: string;
  /** The rules as written, each with its place. */
  readonly rules: readonly { readonly rule: JsonValue; readonly at?: string }[];
  /** The names of the policies in code. */
  readonly code: readonly string[];
}

/** The active policies. They can be replaced while calls run. */
export class ActivePolicies {
  readonly #store: Store;
  readonly #builtin: string | undefined;
  #current: PolicySet | undefined;

  /** `builtin` is the name of the built-in server. */
  constructor(store: Store, journal: Journal, builtin?: string) {
    this.#store = store;
    this.#builtin = builtin;
    journal.subscribe((entry) => this.#observe(entry));
  }

  /** Updates the facts with a written entry. Must not throw, because calls wait for the journal to report the entry. */
  #observe(entry: StoredEntry): void {
    const current = this.#current;
    try {
      current?.facts.observe(entry);
    } catch {
      // The facts are loaded from the journal again. Calls are denied when that fails.
      if (current !== undefined)
        this.#current = { ...current, facts: new SessionFacts(current.policy, this.#store, current.facts) };
    }
  }

  /** The active policies; `undefined` when there are none. The default policy then decides, and no facts are collected. */
  get current(): PolicySet | undefined {
    return this.#current;
  }

  /** Returns whether a call must be counted again once its intent has its position in the journal, because other processes count too. */
  needsRecount(call: DecidedCall): boolean {
    const current = this.#current;
    return current?.facts.isShared === true && current.policy.isCountedByLimit(call.tool.definition);
  }

  /** Counts a call again. Returns the denial when calls of other processes have reached a limit before it. */
  async recount(call: DecidedCall, seq: number): Promise<Decision | undefined> {
    const current = this.#current;
    const { answer, ruled } = call.decision;
    const isAsked = answer === 'ask' || ruled?.answer === 'ask';
    return await current?.facts.recount(call.id, seq, (past) =>
      current.policy.denyOverLimit(toPolicyInput(call), past, isAsked),
    );
  }

  /** Stores the facts of a call that is about to be recorded in full, so that they need not be parsed from the entry. */
  expectEnding(call: Call, { outcome }: CallOutcome): void {
    const facts = this.#current?.facts;
    const { tool } = call;
    if (facts === undefined || outcome !== 'completed') return;
    if (tool === undefined || call.decision === undefined) return;
    const { naming } = tool;
    const { effect, labels } = tool.definition;
    // The output of a labeled tool is recognized as far as it is recorded, so its entry is read.
    if (labels.length > 0) return;
    facts.expectEnding(call.id, {
      naming,
      effect,
      labels,
      ok: true,
      arguments: call.recording.preparedEntry?.arguments ?? recordedArguments(call),
      output: '',
      cost: call.run.costUsd ?? 0,
    });
  }

  /** Stops counting a call whose outcome could not be recorded. */
  forget({ id }: Call): void {
    this.#current?.facts.forget(id);
  }

  summary(): PolicySummary {
    if (this.#current === undefined) return { rules: [], code: [] };
    const { policy, code } = this.#current;
    const rules = policy.rules.map(({ source, at }) => omitUndefined({ rule: source, at }));
    return { version: policy.version, rules, code: code.map(({ name }) => name) };
  }

  /** Replaces the policies, all or none. Rejects with a `PolicyError` that lists every problem. */
  async set(
    sources: readonly HostPolicySource[],
    { keepCode = false }: { readonly keepCode?: boolean } = {},
  ): Promise<void> {
    const retained = keepCode ? (this.#current?.code ?? []) : [];
    if (sources.length === 0 && retained.length === 0) {
      this.#current = undefined;
      return;
    }
    // Imported on demand: not every box has rules.
    const { compilePolicies } = await import('./compile-policies.ts');
    const code = [...retained, ...sources.filter(isCode)];
    const rules = sources.filter((source): source is HostRuleSource => !isCode(source));
    const policy = compilePolicies(rules, this.#builtin);
    this.#current = { policy, code, facts: new SessionFacts(policy, this.#store, this.#current?.facts) };
  }
}

/** Returns the input of policies for a call. */
export function toPolicyInput(call: PreparedCall): PolicyInput {
  const directory = singleDirectory(workspaceOf(call));
  return {
    id: call.id,
    at: Date.now(),
    tool: call.tool.definition,
    arguments: call.args.json,
    size: call.args.text.length,
    directory,
    startDirectory: directory === undefined ? undefined : startDirectoryOf(call),
    principal: call.principal,
    session: call.session,
  };
}

function isCode(source: HostPolicySource): source is ToolPolicy {
  return 'check' in source && typeof source.check === 'function';
}

/** Returns the working directory of a tool's process. A tool that its caller runs starts in its workspace. */
function startDirectoryOf({ tool, externalRun }: PreparedCall): string | undefined {
  return externalRun?.workspace === undefined ? startDirectory(tool.source.limits) : undefined;
}

/** Returns the directories from which relative paths in the calls of a server may be resolved. */
export function directoriesOf(limits: SourceLimits | undefined): Pick<PolicyInput, 'directory' | 'startDirectory'> {
  const directory = singleDirectory(limits?.workspace);
  return limits === undefined || directory === undefined ? {} : { directory, startDirectory: startDirectory(limits) };
}

/** Returns the working directory of a server; `undefined` when it no longer exists. */
function startDirectory({ cwd }: SourceLimits): string | undefined {
  try {
    return cwd ?? process.cwd();
  } catch {
    return undefined;
  }
}

const known = new WeakMap<readonly string[], string>();

/** Returns the directory from which relative paths are resolved: the workspace of a tool that has exactly one. */
function singleDirectory(workspace: readonly string[] | undefined): string | undefined {
  const only = workspace?.length === 1 ? workspace[0] : undefined;
  if (workspace === undefined || only === undefined) return undefined;
  let directory = known.get(workspace);
  if (directory === undefined) known.set(workspace, (directory = resolve(only)));
  return directory;
}
