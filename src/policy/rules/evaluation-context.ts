import type { Facts } from '../facts/facts.ts';
import { maxSearchedLength } from '../facts/fingerprints.ts';
import { type ConditionCall, type ToolView, ConditionInput } from '../conditions/condition-input.ts';
import { WorkBudget } from '../conditions/work-budget.ts';

/** Searching arguments for known values takes up to 0.25 µs for each character. */
const workPerSearchedCharacter = 8;

/** The call that is being decided, with everything that rules may read. Each value is computed once. */
export class EvaluationContext {
  readonly call: ConditionCall;
  readonly session: Facts;
  readonly principal: Facts;
  readonly work: WorkBudget;
  readonly #tool: ToolView;
  #input: ConditionInput | undefined;
  #recognizedLabels: ReadonlySet<string> | undefined;

  constructor(call: ConditionCall, session: Facts, principal: Facts, tool: ToolView) {
    this.call = call;
    this.session = session;
    this.principal = principal;
    this.#tool = tool;
    this.work = new WorkBudget(call.size);
  }

  /** The variables of conditions. */
  get input(): ConditionInput {
    return (this.#input ??= new ConditionInput(this.call, this.#tool, this.session, this.work));
  }

  /** Returns the input of the same call under another name of the tool, for conditions on `tool.name`. */
  inputFor(tool: ToolView): ConditionInput {
    return new ConditionInput(this.call, tool, this.session, this.work);
  }

  /** Returns whether the arguments contain a value that a tool with this label returned. */
  containsValueOf(label: string): boolean {
    if (this.#recognizedLabels === undefined) {
      this.work.charge(Math.min(this.call.size, maxSearchedLength) * workPerSearchedCharacter);
      this.#recognizedLabels = this.principal.findLabels(this.call.arguments);
    }
    return this.#recognizedLabels.has(label);
  }
}
