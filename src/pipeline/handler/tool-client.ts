import { checkedElicitation, checkedSample } from '../../catalog/schema/client-answers.ts';
import type { QuestionOptions, CallClient, ToolClient } from '../../core/calls/call-client.ts';
import { emitSafely } from '../../core/async/emit-safely.ts';
import { raceAbort } from '../../core/async/light-abort-signal.ts';

/** The call that a question belongs to. */
export interface AskedCall {
  readonly isOver: boolean;
  readonly signal: AbortSignal;
  /** The server that runs the tool. */
  readonly server: string;
  hold(): () => void;
}

/** The shared identity of callers that cannot be asked anything. */
const nobody: CallClient = {};

/** Creates the tool's view of its caller: pauses the timeout during questions, validates answers, and rejects questions after the call. */
export function toolClient(given: CallClient | undefined, call: AskedCall): ToolClient {
  const ask = async <Answer>(
    put: (asking: QuestionOptions) => Answer,
    asking?: QuestionOptions,
  ): Promise<Awaited<Answer>> => {
    const signal = asking?.signal ?? call.signal;
    if (asking === undefined && call.isOver) throw new Error('the call is over');
    const release = call.hold();
    try {
      return await raceAbort(() => put({ ...asking, signal, server: call.server }), signal);
    } finally {
      release();
    }
  };
  const client = given ?? nobody;
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
            if (!call.isOver) emitSafely((told) => log.call(client, told), message);
          },
        }),
  };
}
