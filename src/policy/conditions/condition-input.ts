import type { Principal } from '../../core/calls/call.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Facts } from '../facts/facts.ts';
import { WorkBudget } from './work-budget.ts';
import { CallView, PrincipalView, SessionView, type ToolView } from './condition-views.ts';

/** What of a call rules can look at, besides its tool. */
export interface SeenCall {
  readonly id: string;
  /** When it is decided, in milliseconds since 1970. */
  readonly at: number;
  readonly arguments: JsonObject;
  /** The length of the arguments as JSON text. */
  readonly size: number;
  /** The directory that relative paths in the arguments are relative to, where that is certain. */
  readonly directory?: string | undefined;
  readonly principal: Principal;
  readonly session: string | undefined;
}

/** Everything a condition can look at: as it is, and as CEL sees it, which is made when CEL asks. */
export class Scene {
  readonly args: JsonObject;
  readonly tool: ToolView;
  readonly facts: Facts;
  readonly seen: SeenCall;
  /** What may be spent on evaluating conditions: one budget for all rules of a call. */
  readonly work: WorkBudget;
  /** The element at which a loop is. */
  item: unknown;
  #call: CallView | undefined;
  #principal: PrincipalView | undefined;
  #session: SessionView | undefined;
  #now: Date | undefined;

  constructor(seen: SeenCall, tool: ToolView, facts: Facts, work: WorkBudget = new WorkBudget(seen.size)) {
    this.args = seen.arguments;
    this.tool = tool;
    this.facts = facts;
    this.seen = seen;
    this.work = work;
    this.item = undefined;
  }

  get call(): CallView {
    return (this.#call ??= new CallView(this.seen.id, this.seen.at));
  }

  get principal(): PrincipalView {
    return (this.#principal ??= new PrincipalView(this.seen.principal));
  }

  get session(): SessionView {
    return (this.#session ??= new SessionView(this.seen.session ?? '', this.facts, this.seen.at));
  }

  get now(): Date {
    return (this.#now ??= new Date(this.seen.at));
  }
}
