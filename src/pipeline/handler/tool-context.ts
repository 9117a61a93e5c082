import { checkedElicitation, checkedSample } from '../../catalog/schema/client-answers.ts';
import { emitSafely } from '../../core/async/emit-safely.ts';
import { type AbortSignalLike, LightAbortSignal, raceAbort } from '../../core/async/light-abort-signal.ts';
import type { CallClient, QuestionOptions, ToolClient } from '../../core/calls/call-client.ts';
import type { Progress } from '../../core/calls/call.ts';
import type { ToolSessionState, ToolContext, ToolResources } from '../../core/tools/tool-context.ts';
import type { BoxContent } from '../box-content.ts';
import type { AdmittedCall } from '../call-lifecycle.ts';
import type { CallClock } from '../limits/call-clock.ts';
import type { CallInterruption } from '../limits/waits.ts';
import type { SessionStates } from './session-states.ts';

/** The part of a box that tools read resources from. */
export type ResourceBox = Pick<BoxContent, 'resources'>;

/** Dependencies of the contexts of handlers. */
export interface ContextParts {
  readonly states: SessionStates;
  /** The resources that handlers may read. */
  readonly content: ResourceBox;
}

/** The context of a handler. Signal, client and state are created at first use: most handlers need none of them. */
export class CallContext implements ToolContext {
  readonly callId;
  readonly session;
  readonly principal;
  readonly profile;
  readonly server;
  readonly #call;
  readonly #clock;
  readonly #parts;
  #stop: LightAbortSignal | undefined;
  #progress: ((progress: Progress) => void) | undefined;
  #client: ToolClient | undefined;
  #resources: ToolResources | undefined;
  #ended: CallInterruption | 'settled' | undefined;

  constructor(call: AdmittedCall, server: string, clock: CallClock, parts: ContextParts) {
    this.callId = call.id;
    this.session = call.session;
    this.principal = call.principal;
    this.profile = call.options.profile;
    this.server = server;
    this.#call = call;
    this.#clock = clock;
    this.#parts = parts;
  }

  get signal(): AbortSignal {
    return this.#stopping().signal;
  }

  get ending(): AbortSignalLike {
    return this.#stopping();
  }

  get deadline(): number {
    return this.#clock.deadline;
  }

  get isOver(): boolean {
    return this.#ended !== undefined;
  }

  get client(): ToolClient {
    return (this.#client ??= toolClient(this.#call.options.client, this));
  }

  get resources(): ToolResources {
    return (this.#resources ??= toolResources(this.#parts.content, this));
  }

  hold(): () => void {
    this.#call.run.hasAskedCaller = true;
    return this.#clock.hold();
  }

  get state(): ToolSessionState {
    const state = this.#parts.states.of(this.session, this.server);
    return this.#call.run.stateChanges?.track(state) ?? state;
  }

  get isFollowed(): boolean {
    return this.#call.options.onProgress !== undefined;
  }

  /** A bound function, because handlers destructure it. Progress after the end is dropped. */
  get progress(): (progress: Progress) => void {
    return (this.#progress ??= (progress) => {
      const { onProgress } = this.#call.options;
      if (this.#ended === undefined && onProgress !== undefined) emitSafely(onProgress, progress);
    });
  }

  end(ended: CallInterruption | undefined): void {
    if (this.#ended !== undefined) return;
    this.#ended = ended ?? 'settled';
    if (ended !== undefined) this.#abort(ended);
  }

  #stopping(): LightAbortSignal {
    if (this.#stop === undefined) {
      this.#stop = new LightAbortSignal();
      if (this.#ended !== undefined) this.#abort(this.#ended);
    }
    return this.#stop;
  }

  #abort(ended: CallInterruption | 'settled'): void {
    const name = ended === 'timed-out' ? 'TimeoutError' : 'AbortError';
    this.#stop?.abort(new DOMException(`the call has ended (${ended})`, name));
  }
}

/** The shared identity of callers that cannot be asked anything. */
const noClient: CallClient = {};

/** Creates the tool's view of its caller: pauses the timeout during questions, validates answers, and rejects questions after the call. */
function toolClient(given: CallClient | undefined, call: CallContext): ToolClient {
  const ask = async <Answer>(
    put: (asking: QuestionOptions) => Answer,
    asking?: QuestionOptions,
  ): Promise<Awaited<Answer>> => {
    const signal = asking?.signal ?? call.signal;
    if (asking === undefined && call.isOver) throw new Error('the call has ended');
    const release = call.hold();
    try {
      return await raceAbort(() => put({ ...asking, signal, server: call.server }), signal);
    } finally {
      release();
    }
  };
  const client = given ?? noClient;
  const { elicit, sample, roots, log } = client;
  return {
    identity: client.identity ?? client,
    ...(client.conversation === undefined ? {} : { conversation: client.conversation }),
    hold: () => call.hold(),
    ...(elicit === undefined
      ? {}
      : {
          elicit: async (request, asking) =>
            checkedElicitation(request, await ask((passed) => elicit.call(client, request, passed), asking)),
        }),
    ...(sample === undefined
      ? {}
      : {
          sample: async (request, asking) =>
            checkedSample(await ask((passed) => sample.call(client, request, passed), asking)),
        }),
    ...(roots === undefined ? {} : { roots: (asking) => ask((passed) => roots.call(client, passed), asking) }),
    ...(log === undefined
      ? {}
      : {
          log: (message) => {
            if (!call.isOver) emitSafely((sent) => log.call(client, sent), message);
          },
        }),
  };
}

/** Returns the resources that the tool of a call sees: those that the caller's profile shows, read on behalf of the caller. */
function toolResources({ resources }: ResourceBox, call: CallContext): ToolResources {
  const { profile, principal, session } = call;
  return {
    list: () => resources.list({ profile }),
    templates: () => resources.templates({ profile }),
    async read(server, uri) {
      if (call.isOver) throw new Error('the call has ended');
      const { signal, client } = call;
      return await resources.read(server, uri, { profile, principal, session, signal, client });
    },
  };
}
