import type { AbortSignalLike } from '../../../core/async/light-abort-signal.ts';
import type { LogMessage } from '../../../core/calls/call-client.ts';
import { closingReason } from '../../../core/errors.ts';
import { newId } from '../../../core/identifiers.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import { canonicalArguments } from '../../../pipeline/recording/canonical-arguments.ts';
import { type RequestEnvelope, isLogged, parseProgressToken } from '../protocol/client-info.ts';
import { type Answer, Prepared, WireError, notificationText, wireCodes } from '../protocol/wire-messages.ts';
import {
  type AskClient,
  RequestContext,
  type ClientChannel,
  type Peer,
  toCallClient,
} from '../requests/request-context.ts';
import { type Relay, type RelayCaller, RelayUnavailableError } from './relay.ts';
import { SuspendableRequest } from './suspendable-request.ts';
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const maxRoundGapMs = 10 * 60_000;
const maxWaiting = 1000;
const stateForm = /^(here|at_\w{19})\.([\w-]+)$/;

interface WaitingRequest {
  readonly run: SuspendableRequest;
  readonly timer: NodeJS.Timeout;
}

/** A round that is forwarded to the process that holds the request. */
interface ForwardedRound {
  readonly state: string;
  readonly boundTo: string;
  readonly responses: JsonValue;
  readonly canSend: boolean;
}

/** One round of a request. */
export interface RequestRound {
  readonly method: string;
  readonly params: JsonObject;
  readonly peer: Peer;
  readonly envelope: RequestEnvelope;
  readonly session: string;
  readonly channel: ClientChannel;
  /** Aborted when the client is gone. */
  readonly gone: AbortSignalLike | undefined;
  /** The time for which a call waits for a human. */
  readonly waitMs: number;
}

/**
 * Serves requests of revision 2026-07-28. When a request needs input from its client, it ends the round with `input_required`, and the work
 * waits for the client's next round.
 */
export class MultiRoundRequests {
  readonly #seal = new RequestStateCipher();
  readonly #waiting = new Map<string, WaitingRequest>();
  readonly #relay: Relay | undefined;
  /** Address of this process, sent before the sealed state so that other processes can forward the round. The key stays here. */
  readonly #address: string;

  constructor(relay?: Relay) {
    this.#relay = relay;
    this.#address = relay?.address ?? 'here';
    relay?.serve('round', (forwarded: ForwardedRound, caller) => this.#serveForwarded(forwarded, caller));
  }

  /** Starts the work, or continues it when the request carries the state of an earlier round. */
  serve(round: RequestRound, work: (context: RequestContext) => Promise<Answer>): Promise<Answer> {
    const { requestState, inputResponses } = round.params;
    const boundTo = (): string => bindingOf(round);
    if (requestState === undefined) return this.#next(this.#begin(round, work), inputResponses, round, boundTo);
    const [, address = '', state = ''] = (typeof requestState === 'string' && stateForm.exec(requestState)) || [];
    if (this.#relay !== undefined && address !== this.#address && address !== '')
      return this.#forward(this.#relay, address, { state, boundTo: boundTo() }, round);
    const run = this.#resume(address === this.#address ? state : '', boundTo());
    return this.#next(run, inputResponses, round, boundTo);
  }

  /** Aborts all waiting requests. */
  close(): void {
    for (const [id, { run, timer }] of this.#waiting) {
      clearTimeout(timer);
      this.#waiting.delete(id);
      run.abort(closingReason());
    }
  }

  /** Waits until the work is done, or needs input from the client. */
  #next(
    run: SuspendableRequest,
    responses: JsonValue | undefined,
    { channel, gone }: Pick<RequestRound, 'channel' | 'gone'>,
    boundTo: () => string,
  ): Promise<Answer> {
    run.channel = channel;
    if (isJsonObject(responses)) run.answer(responses);
    return run.next(gone).then(
      (turn) => {
        run.channel = undefined;
        return 'answer' in turn ? turn.answer : this.#ask(run, turn.inputRequests, boundTo());
      },
      (error: unknown) => {
        run.channel = undefined;
        throw error;
      },
    );
  }

  /** Forwards the round to the process that holds the request. */
  async #forward(
    relay: Relay,
    address: string,
    held: Pick<ForwardedRound, 'state' | 'boundTo'>,
    { params, channel, gone }: RequestRound,
  ): Promise<Answer> {
    const responses = params['inputResponses'] ?? null;
    const forwarded: ForwardedRound = { ...held, responses, canSend: channel.canSend };
    const onMessage = (text: string): void => channel.send(text);
    try {
      const { result, error } = await relay.ask(address, 'round', forwarded, { onMessage, signal: gone });
      if (isJsonObject(result)) return result;
      const { code, message, data } = error as unknown as Pick<WireError, 'code' | 'message' | 'data'>;
      throw new WireError(code, message, data);
    } catch (error) {
      if (!(error instanceof RelayUnavailableError)) throw error;
      throw error.hasBegun ? lostWhileRunning() : unknownState();
    }
  }

  async #serveForwarded(
    { state, boundTo, responses, canSend }: ForwardedRound,
    { send, signal }: RelayCaller,
  ): Promise<JsonObject> {
    try {
      const run = this.#resume(state, boundTo);
      const round = { channel: { send, canSend }, gone: signal };
      const answer = await this.#next(run, responses, round, () => boundTo);
      return { result: answer instanceof Prepared ? (JSON.parse(String(answer.bytes)) as JsonObject) : answer };
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return {
        error: { code: error.code, message: error.message, ...(error.data === undefined ? {} : { data: error.data }) },
      };
    }
  }

  #begin(round: RequestRound, work: (context: RequestContext) => Promise<Answer>): SuspendableRequest {
    return new SuspendableRequest(round.channel, (run, signal) => work(createContext(round, run, signal)));
  }

  #resume(state: string, boundTo: string): SuspendableRequest {
    const opened = this.#seal.open(state, boundTo);
    const waiting = opened === undefined ? undefined : this.#waiting.get(opened);
    if (opened === undefined || waiting === undefined) throw unknownState();
    this.#waiting.delete(opened);
    clearTimeout(waiting.timer);
    return waiting.run;
  }

  #ask(run: SuspendableRequest, inputRequests: JsonObject, boundTo: string): JsonObject {
    if (this.#waiting.size >= maxWaiting) {
      run.abort(new Error('too many calls wait for their clients'));
      throw new WireError(wireCodes.server, `${maxWaiting} requests already wait for input; try again later`);
    }
    // A new id each time, because a state is valid for one round only.
    const id = newId('run');
    const timer = setTimeout(() => {
      this.#waiting.delete(id);
      run.abort(new DOMException('the client did not answer in time', 'TimeoutError'));
    }, maxRoundGapMs);
    timer.unref();
    this.#waiting.set(id, { run, timer });
    return {
      resultType: 'input_required',
      inputRequests,
      requestState: `${this.#address}.${this.#seal.seal(id, boundTo)}`,
    };
  }
}

/** Describes the caller of a request. Its channel changes from round to round. */
function createContext(round: RequestRound, request: SuspendableRequest, signal: AbortSignalLike): RequestContext {
  const { peer, envelope, session, params, waitMs } = round;
  const progressToken = parseProgressToken(params);
  const notify = (method: string, content: JsonObject): void =>
    request.channel?.send(notificationText(method, content));
  return new RequestContext({
    isModern: true,
    principal: peer.principal,
    view: peer.view,
    session,
    signal,
    waitMs,
    onProgress:
      progressToken === undefined
        ? undefined
        : (progress) => notify('notifications/progress', { ...progress, progressToken }),
    createClient() {
      const { features, logLevel } = envelope;
      const log = (message: LogMessage): void => {
        if (logLevel !== undefined && isLogged(message.level, logLevel))
          notify('notifications/message', { ...message });
      };
      const ask: AskClient = (method, question, asking) => request.ask(method, question, asking);
      const client = toCallClient(request, features, ask, logLevel === undefined ? undefined : log);
      return { ...client, conversation: session };
    },
  });
}

function unknownState(): WireError {
  return new WireError(
    wireCodes.params,
    'the requestState is not valid for this request, was already used, or has expired; send the request again without it',
  );
}

/** The client is not asked to repeat the request, because the request may have had its effect. */
function lostWhileRunning(): WireError {
  return new WireError(
    wireCodes.server,
    'the process that served this request is gone; the journal has the outcome of its calls',
  );
}

/** Returns a digest of what a state is bound to: the same request of the same principal. */
function bindingOf({ method, params, peer }: RequestRound): string {
  const { name, uri, arguments: args = {} } = params;
  const request = canonicalArguments(JSON.stringify([method, name ?? null, uri ?? null, args]));
  const facts = JSON.stringify([peer.principal.id, peer.view.profile ?? null, request]);
  return createHash('sha256').update(facts).digest('base64url');
}

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;
const maxStateLength = 1024;

/**
 * Encrypts the state that a client carries from one round to the next. A client can neither read nor change it, and a state of another
 * principal or request is rejected. The key lives as long as the process, like the waiting requests.
 */
class RequestStateCipher {
  readonly #key = randomBytes(32);

  seal(text: string, boundTo: string): string {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv(algorithm, this.#key, iv).setAAD(Buffer.from(boundTo));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Returns the sealed text; `undefined` if it was not sealed here, or for another binding. */
  open(state: string, boundTo: string): string | undefined {
    if (state.length > maxStateLength) return undefined;
    const bytes = Buffer.from(state, 'base64url');
    // The decoder ignores characters that are not base64, so compare with the canonical form.
    if (bytes.length <= ivBytes + tagBytes || bytes.toString('base64url') !== state) return undefined;
    try {
      const decipher = createDecipheriv(algorithm, this.#key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(boundTo)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }
}
