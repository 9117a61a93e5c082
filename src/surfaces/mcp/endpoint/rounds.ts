import { createHash } from 'node:crypto';
import { canonicalArguments } from '../../../call/canonical-arguments.ts';
import { newId } from '../../../model/identifiers.ts';
import { type JsonObject, isJsonObject } from '../../../model/json.ts';
import { isWanted, progressTokenOf } from './abilities.ts';
import { AskedRun } from './asked-run.ts';
import { callerClient } from './caller-client.ts';
import type { Caller, Peer } from './caller.ts';
import type { Channel } from './channel.ts';
import type { Envelope } from './envelope.ts';
import { StateSeal } from './request-state.ts';
import { type Answer, WireError, notificationText, wireCodes } from './wire.ts';

const patienceMs = 10 * 60_000;
const mostWaiting = 1000;

interface Waiting {
  readonly run: AskedRun;
  readonly timer: NodeJS.Timeout;
}

/** One request, as it came in this round. */
export interface Round {
  readonly method: string;
  readonly params: JsonObject;
  readonly peer: Peer;
  readonly envelope: Envelope;
  readonly session: string;
  readonly channel: Channel;
  readonly gone: AbortSignal | undefined;
}

/** Serves requests of the 2026 revision whose client may have to be asked something: then the work waits for the next round. */
export class Rounds {
  readonly #seal = new StateSeal();
  readonly #waiting = new Map<string, Waiting>();

  /** Begins the work, or goes on with it when the request carries the state of an earlier round. */
  async serve(round: Round, work: (caller: Caller) => Promise<Answer>): Promise<Answer> {
    const { params, channel, gone } = round;
    const state = params['requestState'];
    const run = state === undefined ? this.#begin(round, work) : this.#resume(state, bindingOf(round));
    run.channel = channel;
    const responses = params['inputResponses'];
    if (isJsonObject(responses)) run.answer(responses);
    try {
      const turn = await run.next(gone);
      return 'answer' in turn ? turn.answer : this.#ask(run, turn.inputRequests, bindingOf(round));
    } finally {
      run.channel = undefined;
    }
  }

  /** Ends all work that waits. */
  close(): void {
    for (const [id, { run, timer }] of this.#waiting) {
      clearTimeout(timer);
      this.#waiting.delete(id);
      run.abort(new DOMException('the server is stopping', 'AbortError'));
    }
  }

  #begin({ peer, envelope, session, params, channel }: Round, work: (caller: Caller) => Promise<Answer>): AskedRun {
    const token = progressTokenOf(params);
    const { abilities, logLevel } = envelope;
    return new AskedRun(channel, (run, signal) => {
      const tell = (method: string, told: JsonObject): void => run.channel?.tell(notificationText(method, told));
      const client = callerClient(
        run,
        abilities,
        (method, asked, asking) => run.ask(method, asked, asking),
        logLevel === undefined
          ? undefined
          : (message) => {
              if (isWanted(message.level, logLevel)) tell('notifications/message', { ...message });
            },
      );
      const onProgress =
        token === undefined
          ? undefined
          : (progress: object) => tell('notifications/progress', { ...progress, progressToken: token });
      return work({ ...peer, isModern: true, session, signal, client, onProgress });
    });
  }

  #resume(state: unknown, boundTo: string): AskedRun {
    const opened = typeof state === 'string' ? this.#seal.open(state, boundTo) : undefined;
    const waiting = opened === undefined ? undefined : this.#waiting.get(opened);
    if (opened === undefined || waiting === undefined)
      throw new WireError(
        wireCodes.params,
        'the requestState was not given out for this request, was used already, or is too old; make the request again without it',
      );
    this.#waiting.delete(opened);
    clearTimeout(waiting.timer);
    return waiting.run;
  }

  #ask(run: AskedRun, inputRequests: JsonObject, boundTo: string): JsonObject {
    if (this.#waiting.size >= mostWaiting) {
      run.abort(new Error('too many calls wait for their clients'));
      throw new WireError(wireCodes.server, `${mostWaiting} requests wait for input already; try again later`);
    }
    // Another one each time: a state is good for one round.
    const id = newId('run');
    const timer = setTimeout(() => {
      this.#waiting.delete(id);
      run.abort(new DOMException('the client did not answer in time', 'TimeoutError'));
    }, patienceMs);
    timer.unref();
    this.#waiting.set(id, { run, timer });
    return { resultType: 'input_required', inputRequests, requestState: this.#seal.seal(id, boundTo) };
  }
}

/** What a state is good for: the same request of the same principal. */
function bindingOf({ method, params, peer }: Round): string {
  const { name, uri, arguments: args = {} } = params;
  const asked = canonicalArguments(JSON.stringify([method, name ?? null, uri ?? null, args]));
  const facts = JSON.stringify([peer.principal.id, peer.view.profile ?? null, asked]);
  return createHash('sha256').update(facts).digest('base64url');
}
