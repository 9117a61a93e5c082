import type { Principal } from '../../core/principal.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { ToolDefinition } from '../../core/tools/tool.ts';
import type { Facts, PastCall } from '../facts/facts.ts';
import type { Meter } from '../facts/meter.ts';
import { WorkBudget } from './work-budget.ts';

/** The properties of a call that rules can read, besides its tool. */
export interface ConditionCall {
  readonly id: string;
  /** The time of the decision, in milliseconds since 1970. */
  readonly at: number;
  readonly arguments: JsonObject;
  /** The length of the arguments as JSON text. */
  readonly size: number;
  /** The directory that relative paths in the arguments are resolved from, when that is certain. */
  readonly directory?: string | undefined;
  /** The working directory of the tool's process, when the tool may resolve relative paths from there instead. */
  readonly startDirectory?: string | undefined;
  readonly principal: Principal;
  readonly session: string | undefined;
}

/** The variables of a condition. Their views for CEL are created on first use. */
export class ConditionInput {
  readonly args: JsonObject;
  readonly tool: ToolView;
  readonly facts: Facts;
  readonly conditionCall: ConditionCall;
  /** The budget for evaluating conditions, shared by all rules of a call. */
  readonly work: WorkBudget;
  #call: CallView | undefined;
  #principal: PrincipalView | undefined;
  #session: SessionView | undefined;
  #now: Date | undefined;

  constructor(
    conditionCall: ConditionCall,
    tool: ToolView,
    facts: Facts,
    work: WorkBudget = new WorkBudget(conditionCall.size),
  ) {
    this.args = conditionCall.arguments;
    this.tool = tool;
    this.facts = facts;
    this.conditionCall = conditionCall;
    this.work = work;
  }

  get call(): CallView {
    return (this.#call ??= new CallView(this.conditionCall.id, this.conditionCall.at));
  }

  get principal(): PrincipalView {
    return (this.#principal ??= new PrincipalView(this.conditionCall.principal));
  }

  get session(): SessionView {
    return (this.#session ??= new SessionView(this.conditionCall.session ?? '', this.facts, this.conditionCall.at));
  }

  get now(): Date {
    return (this.#now ??= new Date(this.conditionCall.at));
  }
}

/*
 * The variables of conditions are classes, so that the type checker knows their fields and reports a mistyped one when the policy is
 * loaded. Integers in CEL are BigInts.
 */

/** `call` in a condition. */
export class CallView {
  readonly id: string;
  readonly time: Date;

  constructor(id: string, at: number) {
    this.id = id;
    this.time = new Date(at);
  }
}

/** `tool` in a condition. */
export class ToolView {
  readonly name: string;
  readonly server: string;
  readonly effect: string;
  readonly labels: readonly string[];
  readonly annotations: object;

  constructor(definition: ToolDefinition) {
    this.name = definition.name;
    this.server = definition.id.server;
    this.effect = definition.effect;
    this.labels = definition.labels;
    this.annotations = definition.annotations;
  }
}

/** `principal` in a condition. */
export class PrincipalView {
  readonly id: string;
  readonly kind: string;

  constructor({ id, kind }: Principal) {
    this.id = id;
    this.kind = kind;
  }
}

/** The result of `session.last(…)`. */
export class PastCallView {
  readonly #call: PastCall;

  constructor(call: PastCall) {
    this.#call = call;
  }

  get seq(): bigint {
    return BigInt(this.#call.seq);
  }

  get at(): Date {
    return new Date(this.#call.at);
  }

  get args(): JsonObject {
    return this.#call.args;
  }
}

/** `session` in a condition. */
export class SessionView {
  readonly id: string;
  readonly #facts: Facts;
  readonly #now: number;

  constructor(id: string, facts: Facts, now: number) {
    this.id = id;
    this.#facts = facts;
    this.#now = now;
  }

  get labels(): ReadonlySet<string> {
    return this.#facts.labels;
  }

  get cost(): number {
    return this.#facts.cost;
  }

  last(pattern: string): PastCallView {
    return new PastCallView(this.#facts.last(pattern));
  }

  lastOk(pattern: string): PastCallView {
    return new PastCallView(this.#facts.lastOk(pattern));
  }

  count(pattern: string): bigint {
    return BigInt(this.#facts.count(pattern));
  }

  countIn(meter: Meter): bigint {
    return BigInt(this.#facts.reading(meter, this.#now).calls);
  }

  hasRead(path: string): boolean {
    return this.#facts.hasRead(path);
  }
}
