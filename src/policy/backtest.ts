import type { Principal } from '../core/principal.ts';
import type { Decision } from '../core/calls/decision.ts';
import type { JsonObject } from '../core/json/json.ts';
import type { Effect, ToolDefinition } from '../core/tools/tool.ts';
import { type RecordedNaming, recordedTool } from '../core/tools/tool-names.ts';
import type { CallEvent } from './facts/call-event.ts';
import type { Facts } from './facts/facts.ts';
import type { Policy, PolicyInput } from './policy.ts';

/** A recorded call to be decided again. */
export interface BacktestCall {
  readonly id: string;
  /** The time of the decision, in milliseconds since 1970. */
  readonly at: number;
  readonly tool: string;
  readonly server: string;
  readonly naming: RecordedNaming | undefined;
  readonly effect: Effect;
  readonly labels: readonly string[];
  readonly arguments: JsonObject;
  readonly principal: Principal;
  readonly session: string;
  /** The recorded decision; absent for calls that were never decided. */
  readonly decision: Decision | undefined;
  /** The recorded end of the call; absent when it did not run. */
  readonly event: CallEvent | undefined;
}

/** A call that the other policy decides differently. */
export interface ChangedDecision {
  readonly callId: string;
  readonly at: string;
  readonly tool: string;
  readonly sessionId?: string;
  readonly before: Decision;
  readonly after: Decision;
}

/** The result of deciding recorded calls with another policy. */
export interface Backtest {
  readonly version: string;
  /** The number of calls that were decided again. */
  readonly calls: number;
  /** The number of calls that were skipped, because policies in code cannot be evaluated again. */
  readonly skipped: number;
  readonly changed: readonly ChangedDecision[];
}

/** Decisions that cannot be repeated: policies in code, and in older records decisions that replaced those of rules without recording them. */
const unrepeatable = /^(?:mode|code|remembered):/;

type Directories = Pick<PolicyInput, 'directory' | 'startDirectory'>;

/** Decides recorded calls again in order, with the history that they had. */
export class Backtester {
  readonly #policy: Policy;
  readonly #directoriesOf: (server: string) => Directories;
  readonly #facts = new Map<string, Facts>();
  readonly #tools = new Map<string, ToolDefinition>();
  readonly #changed: ChangedDecision[] = [];
  #calls = 0;
  #skipped = 0;

  /** `directoriesOf` returns the directories that relative paths in the calls of a server may start from. */
  constructor(policy: Policy, directoriesOf: (server: string) => Directories = () => ({})) {
    this.#policy = policy;
    this.#directoriesOf = directoriesOf;
  }

  /** Processes the next call. A call that is not compared is only history. */
  add(call: BacktestCall, isCompared: boolean): void {
    const session = this.#factsOf(`session ${call.session} ${call.session === '' ? call.principal.id : ''}`, () =>
      this.#policy.sessionFacts(),
    );
    const principal = this.#factsOf(`principal ${call.principal.id}`, () => this.#policy.principalFacts());
    if (isCompared && call.decision !== undefined) this.#compare(call, call.decision, { session, principal });
    if (call.event === undefined) return;
    session.observe(call.event);
    principal.observe(call.event);
  }

  /** Processes the undo of a call. */
  undo(call: string): void {
    for (const facts of this.#facts.values()) facts.revert(call);
  }

  result(): Backtest {
    return { version: this.#policy.version, calls: this.#calls, skipped: this.#skipped, changed: this.#changed };
  }

  #compare(call: BacktestCall, decision: Decision, past: { session: Facts; principal: Facts }): void {
    const before = decision.ruled ?? decision;
    if (unrepeatable.test(before.rule)) {
      this.#skipped += 1;
      return;
    }
    this.#calls += 1;
    const { id, at, tool, session, principal } = call;
    const size = JSON.stringify(call.arguments).length;
    const directories = this.#directoriesOf(call.server);
    const input = { id, at, tool: this.#tool(call), arguments: call.arguments, size, ...directories, principal };
    const after = this.#policy.decide({ ...input, session: session === '' ? undefined : session }, past);
    if (after.answer === before.answer) return;
    const where = session === '' ? {} : { sessionId: session };
    this.#changed.push({ callId: id, at: new Date(at).toISOString(), tool, ...where, before, after });
  }

  #factsOf(key: string, make: () => Facts): Facts {
    let facts = this.#facts.get(key);
    if (facts === undefined) this.#facts.set(key, (facts = make()));
    return facts;
  }

  /** Rebuilds the definition of a recorded tool as far as rules need it, without annotations. */
  #tool({ tool, server, naming, effect, labels }: BacktestCall): ToolDefinition {
    const key = JSON.stringify([tool, naming, effect, labels]);
    let definition = this.#tools.get(key);
    if (definition === undefined) {
      const rest = { description: '', inputSchema: {}, annotations: {}, idempotent: false, definitionHash: '' };
      const named = recordedTool(tool, naming ?? {});
      definition = { ...rest, ...named, id: { ...named.id, server }, effect, labels };
      this.#tools.set(key, definition);
    }
    return definition;
  }
}
