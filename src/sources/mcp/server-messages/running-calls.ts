import { SlotMap } from '../../../core/async/slot-map.ts';
import type { ToolContext } from '../../../core/tools/tool-context.ts';
import type { ToolClient } from '../../../core/calls/call-client.ts';

/** Who waits for a request of ours, so far as it can be asked and told something. */
export type RunningCallContext = Pick<ToolContext, 'client'>;

/** One call that the server is working on. */
export class RunningCall {
  /** Among those of its connection. */
  place = 0;
  readonly #context: RunningCallContext;
  #listeners: (() => void)[] | undefined;
  #isOver = false;

  constructor(context: RunningCallContext) {
    this.#context = context;
  }

  get client(): ToolClient | undefined {
    return this.#context.client;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  onOver(listener: () => void): void {
    (this.#listeners ??= []).push(listener);
  }

  end(): void {
    this.#isOver = true;
    for (const listener of this.#listeners ?? []) listener();
  }
}

/** For which calls a message of the server may be meant, all of one client; none when no call is under way. Or why nobody can tell. */
export type MessageTarget =
  | { readonly calls: readonly RunningCall[]; readonly problem?: never }
  | { readonly problem: string; readonly calls?: never };

/** How long the server may still ask for a call that was given up: it need not have heard, and never says that it has. */
const echoMs = 60_000;

/** The calls that a server is working on. What it says without naming a call can only be meant for one of them. */
export class RunningCalls {
  readonly #calls = new SlotMap<RunningCall>();
  readonly #givenUp = new Map<RunningCall, number>();

  begin(context: RunningCallContext): RunningCall {
    const caller = new RunningCall(context);
    caller.place = this.#calls.add(caller);
    return caller;
  }

  /** `isAnswered`: the server is done with it, and will ask nothing more. */
  end(caller: RunningCall, isAnswered: boolean): void {
    this.#calls.remove(caller.place);
    if (!isAnswered) this.#givenUp.set(caller, Date.now() + echoMs);
    caller.end();
  }

  /** For whom a message is, of which the transport may know to which call it belongs. */
  targetOf(known: RunningCall | undefined): MessageTarget {
    if (known !== undefined) return known.isOver ? { problem: 'the call it belongs to is over' } : { calls: [known] };
    const now = Date.now();
    for (const [caller, until] of this.#givenUp) if (until < now) this.#givenUp.delete(caller);
    const calls = [...this.#calls];
    const possible = [...calls, ...[...this.#givenUp.keys()].filter((each) => !isOnlyConversation(each, calls))];
    const clients = new Set(possible.map(({ client }) => client?.identity));
    if (clients.size > 1) {
      const problem = `${possible.length} calls of ${clients.size} clients may be meant, and the server does not say which`;
      return { problem: `${problem}; nobody is asked rather than the wrong one` };
    }
    if (calls.length === 0 && possible.length > 0) return { problem: 'the call it may belong to is over' };
    return { calls };
  }
}

/** Returns whether all running calls belong to the conversation of an abandoned call, so that no other caller could be asked by mistake. */
function isOnlyConversation({ client }: RunningCall, calls: readonly RunningCall[]): boolean {
  const conversation = client?.conversation;
  if (conversation === undefined || calls.length === 0) return false;
  return calls.every((each) => each.client?.conversation === conversation);
}
