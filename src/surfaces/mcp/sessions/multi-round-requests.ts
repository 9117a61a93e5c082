import type { AbortSignalLike } from '../../../core/async/light-abort-signal.ts';
import type { CallClient, LogMessage } from '../../../core/calls/call-client.ts';
import { newId } from '../../../core/identifiers.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import { canonicalArguments } from '../../../pipeline/recording/canonical-arguments.ts';
import { type RequestEnvelope, isLogged, parseProgressToken } from '../protocol/client-info.ts';
import { type Answer, Prepared, WireError, notificationText, wireCodes } from '../protocol/wire-messages.ts';
import {
  type AskClient,
  type RequestContext,
  type ClientChannel,
  type Peer,
  toCallClient,
} from '../requests/request-context.ts';
import { type Relay, type RelayCaller, RelayLost } from './relay.ts';
import { AskedRun } from './suspendable-request.ts';
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const patienceMs = 10 * 60_000;
const mostWaiting = 1000;
const stateForm = /^(here|at_\w{19})\.([\w-]+)$/;

interface Waiting {
  readonly run: AskedRun;
  readonly timer: NodeJS.Timeout;
}

/** A round that came to another process. */
interface AskedRound {
  readonly state: string;
  readonly boundTo: string;
  readonly responses: JsonValue;
  readonly canTell: boolean;
}

/** One request, as it came in this round. */
export interface Round {
  readonly method: string;
  readonly params: JsonObject;
  readonly peer: Peer;
  readonly envelope: RequestEnvelope;
  readonly session: string;
  readonly channel: ClientChannel;
  readonly gone: AbortSignalLike | undefined;
}

/** Serves requests of the 2026 revision whose client may have to be asked something: then the work waits for the next round. */
export class Rounds {
  readonly #seal = new StateSeal();
  readonly #waiting = new Map<string, Waiting>();
  readonly #relay: Relay | undefined;
  /** Stands before what is sealed, so that another process knows whom to ask; the key stays here. */
  readonly #place: string;

  constructor(relay?: Relay) {
    this.#relay = relay;
    this.#place = relay?.place ?? 'here';
    relay?.serve('round', (asked: AskedRound, caller) => this.#serveOther(asked, caller));
  }

  /** Begins the work, or goes on with it when the request carries the state of an earlier round. */
  serve(round: Round, work: (caller: RequestContext) => Promise<Answer>): Promise<Answer> {
    const { requestState, inputResponses } = round.params;
    const boundTo = (): string => bindingOf(round);
    if (requestState === undefined) return this.#next(this.#begin(round, work), inputResponses, round, boundTo);
    const [, place = '', state = ''] = (typeof requestState === 'string' && stateForm.exec(requestState)) || [];
    if (this.#relay !== undefined && place !== this.#place && place !== '')
      return this.#askOther(this.#relay, place, { state, boundTo: boundTo() }, round);
    const run = this.#resume(place === this.#place ? state : '', boundTo());
    return this.#next(run, inputResponses, round, boundTo);
  }

  /** Ends all work that waits. */
  close(): void {
    for (const [id, { run, timer }] of this.#waiting) {
      clearTimeout(timer);
      this.#waiting.delete(id);
      run.abort(new DOMException('the server is stopping', 'AbortError'));
    }
  }

  /** Waits until the work is done, or its client must be asked. */
  #next(
    run: AskedRun,
    responses: JsonValue | undefined,
    { channel, gone }: Pick<Round, 'channel' | 'gone'>,
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

  /** Has the process that holds the work go on with it. */
  async #askOther(
    relay: Relay,
    place: string,
    held: Pick<AskedRound, 'state' | 'boundTo'>,
    { params, channel, gone }: Round,
  ): Promise<Answer> {
    const responses = params['inputResponses'] ?? null;
    const asked: AskedRound = { ...held, responses, canTell: channel.canSend };
    const tell = (text: string): void => channel.send(text);
    try {
      const { result, error } = await relay.ask(place, 'round', asked, { tell, signal: gone });
      if (isJsonObject(result)) return result;
      const { code, message, data } = error as unknown as Pick<WireError, 'code' | 'message' | 'data'>;
      throw new WireError(code, message, data);
    } catch (error) {
      if (!(error instanceof RelayLost)) throw error;
      throw error.hasBegun ? lostUnderWay() : notHeld();
    }
  }

  async #serveOther(
    { state, boundTo, responses, canTell }: AskedRound,
    { tell, signal }: RelayCaller,
  ): Promise<JsonObject> {
    try {
      const run = this.#resume(state, boundTo);
      const round = { channel: { tell, canTell }, gone: signal };
      const answer = await this.#next(run, responses, round, () => boundTo);
      return { result: answer instanceof Prepared ? (JSON.parse(String(answer.bytes)) as JsonObject) : answer };
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return {
        error: { code: error.code, message: error.message, ...(error.data === undefined ? {} : { data: error.data }) },
      };
    }
  }

  #begin(round: Round, work: (caller: RequestContext) => Promise<Answer>): AskedRun {
    return new AskedRun(round.channel, (run, signal) => work(new RoundCaller(round, run, signal)));
  }

  #resume(state: string, boundTo: string): AskedRun {
    const opened = this.#seal.open(state, boundTo);
    const waiting = opened === undefined ? undefined : this.#waiting.get(opened);
    if (opened === undefined || waiting === undefined) throw notHeld();
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
    return {
      resultType: 'input_required',
      inputRequests,
      requestState: `${this.#place}.${this.#seal.seal(id, boundTo)}`,
    };
  }
}

/** Whoever waits for the answer to one request, over all its rounds. What most tools never ask for is made when one does. */
class RoundCaller implements RequestContext {
  readonly isModern = true;
  readonly principal: RequestContext['principal'];
  readonly view: RequestContext['view'];
  readonly session: string;
  readonly signal: AbortSignalLike;
  readonly onProgress: RequestContext['onProgress'];
  readonly #envelope: RequestEnvelope;
  readonly #run: AskedRun;
  #client: CallClient | undefined;

  constructor({ peer, envelope, session, params }: Round, run: AskedRun, signal: AbortSignalLike) {
    this.principal = peer.principal;
    this.view = peer.view;
    this.session = session;
    this.signal = signal;
    this.#envelope = envelope;
    this.#run = run;
    const progressToken = parseProgressToken(params);
    if (progressToken !== undefined)
      this.onProgress = (progress) => this.#tell('notifications/progress', { ...progress, progressToken });
  }

  get client(): CallClient {
    return (this.#client ??= this.#makeClient());
  }

  #makeClient(): CallClient {
    const { features, logLevel } = this.#envelope;
    const run = this.#run;
    const log = (message: LogMessage): void => {
      if (logLevel !== undefined && isLogged(message.level, logLevel))
        this.#tell('notifications/message', { ...message });
    };
    const ask: AskClient = (method, asked, asking) => run.ask(method, asked, asking);
    const client = toCallClient(run, features, ask, logLevel === undefined ? undefined : log);
    return { ...client, conversation: this.session };
  }

  #tell(method: string, told: JsonObject): void {
    this.#run.channel?.send(notificationText(method, told));
  }
}

function notHeld(): WireError {
  return new WireError(
    wireCodes.params,
    'the requestState was not given out for this request, was used already, or is too old; make the request again without it',
  );
}

/** Nobody is told to make a request again that may have had its effect. */
function lostUnderWay(): WireError {
  return new WireError(
    wireCodes.server,
    'the process that went on with this request is gone; the journal tells what a call came to',
  );
}

/** What a state is good for: the same request of the same principal. */
function bindingOf({ method, params, peer }: Round): string {
  const { name, uri, arguments: args = {} } = params;
  const asked = canonicalArguments(JSON.stringify([method, name ?? null, uri ?? null, args]));
  const facts = JSON.stringify([peer.principal.id, peer.view.profile ?? null, asked]);
  return createHash('sha256').update(facts).digest('base64url');
}

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;
const longest = 1024;

/**
 * Seals what a client carries from one round to the next: it can neither read nor change it, and what was sealed for another
 * principal or another request does not open. The key lives as long as the process, like the calls that wait.
 */
export class StateSeal {
  readonly #key = randomBytes(32);

  seal(text: string, boundTo: string): string {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv(algorithm, this.#key, iv).setAAD(Buffer.from(boundTo));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** What was sealed; `undefined` when it was not sealed here, or for something else. */
  open(state: string, boundTo: string): string | undefined {
    if (state.length > longest) return undefined;
    const bytes = Buffer.from(state, 'base64url');
    // The decoder passes over what is no base64; then the text is not the one that was given out.
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
