import { SlotMap } from '../../../core/async/slot-map.ts';
import type { ToolContext } from '../../../core/tools/tool-context.ts';
import type { ToolClient } from '../../../core/calls/call-client.ts';

/** The client of a call, which can answer questions and receive notifications. */
export type UpstreamCallContext = Pick<ToolContext, 'client'>;

/** A call that the server is running. */
export class UpstreamCall {
  /** Its slot among the calls of its connection. */
  slot = 0;
  readonly #context: UpstreamCallContext;
  #listeners: (() => void)[] | undefined;
  #isOver = false;

  constructor(context: UpstreamCallContext) {
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

/** The calls that a message of the server may belong to, all of one client; none when no call runs. Or why that is ambiguous. */
export type MessageTarget =
  | { readonly calls: readonly UpstreamCall[]; readonly problem?: never }
  | { readonly problem: string; readonly calls?: never };

/** Time in which the server may still ask on behalf of an abandoned call: it may not have seen the cancellation, which it never confirms. */
const abandonedCallMs = 60_000;

/** The running calls of a connection. A message of the server that names no call belongs to one of them. */
export class UpstreamCalls {
  readonly #calls = new SlotMap<UpstreamCall>();
  readonly #abandoned = new Map<UpstreamCall, number>();

  begin(context: UpstreamCallContext): UpstreamCall {
    const call = new UpstreamCall(context);
    call.slot = this.#calls.add(call);
    return call;
  }

  /** Ends a call. `isAnswered`: the server has finished it and will ask nothing more. */
  end(call: UpstreamCall, isAnswered: boolean): void {
    this.#calls.remove(call.slot);
    if (!isAnswered) this.#abandoned.set(call, Date.now() + abandonedCallMs);
    call.end();
  }

  /** Returns the target of a message. `known`: the call that the transport attributes it to. */
  targetOf(known: UpstreamCall | undefined): MessageTarget {
    if (known !== undefined) return known.isOver ? { problem: 'the call it belongs to is over' } : { calls: [known] };
    const now = Date.now();
    for (const [call, until] of this.#abandoned) if (until < now) this.#abandoned.delete(call);
    const calls = [...this.#calls];
    const possible = [...calls, ...[...this.#abandoned.keys()].filter((each) => !isOnlyConversation(each, calls))];
    const clients = new Set(possible.map(({ client }) => client?.identity));
    if (clients.size > 1) {
      const problem = `it may belong to any of ${possible.length} calls of ${clients.size} clients, and the server does not name one`;
      return { problem: `${problem}; nobody was asked` };
    }
    if (calls.length === 0 && possible.length > 0) return { problem: 'the call it may belong to is over' };
    return { calls };
  }
}

/** Returns whether all running calls belong to the conversation of an abandoned call, so that no other caller could be asked by mistake. */
function isOnlyConversation({ client }: UpstreamCall, calls: readonly UpstreamCall[]): boolean {
  const conversation = client?.conversation;
  if (conversation === undefined || calls.length === 0) return false;
  return calls.every((each) => each.client?.conversation === conversation);
}
