import type { Progress } from '../../../core/calls/call.ts';
import type { QuestionOptions, CallClient, LogLevel, LogMessage } from '../../../core/calls/call-client.ts';
import { newId } from '../../../core/identifiers.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { Principal } from '../../../core/principal.ts';
import { KeyedSlotMap } from '../../../core/async/slot-map.ts';
import { LightAbortSignal, abortReason } from '../../../core/async/light-abort-signal.ts';
import {
  type ClientFeatures,
  type ClientName,
  parseClientFeatures,
  parseClientName,
  isLogged,
  parseLogLevel,
  parseProgressToken,
} from '../protocol/client-info.ts';
import type { EndpointServices } from '../requests/call-tool.ts';
import { type RequestContext, type ClientChannel, type Peer, toCallClient } from '../requests/request-context.ts';
import type { Changes } from '../listing/list-changes.ts';
import { type ListMethod, isListMethod, listPage, methodOf } from '../requests/methods.ts';
import { negotiateVersion, serverCapabilities, serverInfo } from '../protocol/server-info.ts';
import type { Shown, View } from '../listing/catalog-view.ts';
import { WatchedResources } from '../listing/resource-subscriptions.ts';
import {
  type Answer,
  type RequestId,
  WireError,
  type WireNotification,
  type WireRequest,
  type WireResponse,
  notificationText,
  wireCodes,
} from '../protocol/wire-messages.ts';

const nothing: ClientFeatures = { form: false, url: false, sample: false, roots: false };

/** What a process needs to go on with a conversation that another one began. */
export interface SessionState {
  /** What its calls are recorded under. */
  readonly name: string;
  readonly version: string;
  readonly client: ClientName;
  readonly abilities: ClientFeatures;
  readonly level: LogLevel;
  /** The resources that the client wants to hear of. */
  readonly watched: readonly string[];
}

interface Question {
  resolve(result: JsonObject): void;
  reject(error: Error): void;
}

/** A conversation with a client of a revision before 2026-07-28, over whatever transport. */
export class LegacySession {
  readonly peer: Peer;
  readonly #parts: EndpointServices;
  /** Where messages go that belong to no request. */
  readonly #channel: ClientChannel;
  readonly #running = new KeyedSlotMap<RequestId, LightAbortSignal>();
  readonly #questions = new Map<RequestId, Question>();
  readonly #watched: WatchedResources;
  readonly #stopListening: () => void;
  /** Tells the questions of this process from those of others that go on with the same conversation. */
  readonly #asker = newId('ask');
  /** Sets down what changed, for other processes; whoever asked for the change is not answered before. */
  keep: (() => Promise<void>) | undefined;
  /** Looks at what other processes may have changed. */
  refresh: (() => Promise<void>) | undefined;
  #name = newId('mcp');
  #isChanged = false;
  #version: string | undefined;
  #client: ClientName = parseClientName(undefined);
  #principal: Principal | undefined;
  #abilities = nothing;
  #level: LogLevel = 'info';
  /** What the client was shown; calls are for the tools as they were then. */
  #shown: Shown | undefined;
  #asked = 0;

  constructor(parts: EndpointServices, changes: Changes, peer: Peer, channel: ClientChannel) {
    this.#parts = parts;
    this.peer = peer;
    this.#channel = channel;
    this.#watched = new WatchedResources(
      parts.box,
      () => ({
        principal: this.principal,
        session: this.#name,
        profile: peer.view.profile,
        waitMs: parts.approvalWaitMs,
      }),
      (uri) => this.#tell('notifications/resources/updated', { uri }),
    );
    this.#stopListening = changes.listen(peer.view, (list) => {
      // A client that has listed the tools since the change is not notified.
      if (list === 'tools' && this.#shown === peer.view.listing) return;
      this.#tell(`notifications/${list}/list_changed`, {});
    });
  }

  /** Who its calls are made by. */
  get principal(): Principal {
    return (this.#principal ??= this.peer.principalOf?.(this.#client) ?? this.peer.principal);
  }

  /** What its calls are recorded under. */
  get name(): string {
    return this.#name;
  }

  /** What the client was shown. */
  get shown(): Shown | undefined {
    return this.#shown;
  }

  /** What another process needs to go on with it; nothing before it is agreed on. */
  get facts(): SessionState | undefined {
    const version = this.#version;
    if (version === undefined) return undefined;
    const level = this.#level;
    return {
      name: this.#name,
      version,
      client: this.#client,
      abilities: this.#abilities,
      level,
      watched: this.#watched.uris,
    };
  }

  /** Goes on as other processes left it. */
  goOn({ name, version, client, abilities, level, watched }: SessionState, shown: Shown | undefined): void {
    this.#name = name;
    this.#version = version;
    this.#client = client;
    this.#abilities = abilities;
    this.#level = level;
    this.#shown = shown;
    this.#watched.watchThose(this.peer.view, watched);
  }

  /** Tells a client that comes from another process of what it may have missed there. */
  catchUp(): void {
    const shown = this.#shown?.tools;
    if (shown === undefined) return;
    for (const [name, { definitionHash }] of this.peer.view.listing.tools)
      if (shown.get(name)?.definitionHash !== definitionHash) return this.#tell('notifications/tools/list_changed', {});
  }

  /** The revision that was agreed on. */
  get version(): string | undefined {
    return this.#version;
  }

  /** What the client calls itself. */
  get client(): ClientName {
    return this.#client;
  }

  /** Whether a request of it is being served. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /**
   * Serves a request. What the client must be asked or told meanwhile goes through the channel. The stop ends it: whoever
   * gives one aborts it when the client is gone, and the session when the client cancels.
   */
  serve(
    { id, method, params }: WireRequest,
    channel: ClientChannel,
    stop = new LightAbortSignal(),
  ): Answer | Promise<Answer> {
    // Many clients list only once, so a list waits for servers that are starting.
    const starting = isListMethod(method) ? this.peer.view.awaitStartup(stop) : undefined;
    const ready = starting === undefined ? this.#atOnce(method, params) : undefined;
    if (ready !== undefined) return this.#isChanged ? this.#keep().then(() => ready) : ready;
    if (this.#running.has(id)) throw new WireError(wireCodes.request, `a request with the id ${id} is being served`);
    const answering =
      starting === undefined
        ? this.#answering(method, params, channel, stop)
        : this.#listAfter(starting, method as ListMethod, params);
    this.#running.set(id, stop);
    return answering.then(
      (answer) => {
        this.#running.delete(id);
        return answer;
      },
      (error: unknown) => {
        this.#running.delete(id);
        throw error;
      },
    );
  }

  #answering(method: string, params: JsonObject, channel: ClientChannel, stop: LightAbortSignal): Promise<Answer> {
    if (method === 'resources/subscribe') return this.#subscribe(params);
    if (method === 'resources/unsubscribe') return this.#unsubscribe(params);
    const answer = methodOf(method);
    const caller = new SessionCaller(this, params, channel, stop);
    const outdated = method === 'tools/call' && this.#isOutdated(params['name']) ? this.refresh?.() : undefined;
    if (outdated === undefined) return answer(this.#parts, params, caller);
    return outdated.then(() => answer(this.#parts, params, caller));
  }

  /** Takes what the client tells, or answers to a question; false when it is about something that is not here. */
  take(message: WireNotification | WireResponse): boolean {
    return message.kind === 'response' ? this.#answered(message) : this.#notified(message);
  }

  #notified({ method, params }: WireNotification): boolean {
    if (method !== 'notifications/cancelled') return true;
    const id = params['requestId'];
    const running = typeof id === 'string' || typeof id === 'number' ? this.#running.get(id) : undefined;
    running?.abort(new DOMException('the client cancelled its request', 'AbortError'));
    return running !== undefined;
  }

  #answered({ id, result, error }: WireResponse): boolean {
    const question = this.#questions.get(id);
    if (result !== undefined) question?.resolve(result);
    else question?.reject(new Error(`the client refused: ${error?.message ?? 'without a reason'}`));
    return question !== undefined;
  }

  /** Ends what is under way: the client is gone. */
  close(): void {
    this.#stopListening();
    this.#watched.close();
    const gone = new DOMException('the client is gone', 'AbortError');
    for (const controller of this.#running.values()) controller.abort(gone);
    for (const question of this.#questions.values()) question.reject(gone);
  }

  #atOnce(method: string, params: JsonObject): Answer | undefined {
    switch (method) {
      case 'initialize':
        return this.#initialize(params);
      case 'ping':
        return {};
      case 'logging/setLevel':
        return this.#setLevel(params);
      default:
        return isListMethod(method) ? this.#list(method, params) : undefined;
    }
  }

  #list(method: ListMethod, params: JsonObject): Answer {
    if (method === 'tools/list' && this.#shown !== this.peer.view.listing) {
      this.#shown = this.peer.view.listing;
      this.#isChanged = true;
    }
    return listPage(method, params, this.peer, false);
  }

  async #listAfter(starting: Promise<void>, method: ListMethod, params: JsonObject): Promise<Answer> {
    await starting;
    const page = this.#list(method, params);
    if (this.#isChanged) await this.#keep();
    return page;
  }

  #initialize({ protocolVersion, capabilities, clientInfo }: JsonObject): JsonObject {
    if (this.#version !== undefined) throw new WireError(wireCodes.request, 'this session is initialized already');
    if (typeof protocolVersion !== 'string')
      throw new WireError(wireCodes.params, 'initialize needs a text "protocolVersion"');
    this.#version = negotiateVersion(protocolVersion);
    this.#abilities = parseClientFeatures(capabilities);
    this.#client = parseClientName(clientInfo);
    this.#principal = undefined;
    this.#isChanged = true;
    return {
      protocolVersion: this.#version,
      capabilities: { ...serverCapabilities, logging: {} },
      serverInfo: serverInfo(this.#parts.box.version),
      instructions: this.peer.view.listing.instructions,
    };
  }

  #setLevel({ level }: JsonObject): JsonObject {
    const known = parseLogLevel(level);
    if (known === undefined)
      throw new WireError(wireCodes.params, `there is no level ${JSON.stringify(level ?? null)}`);
    this.#isChanged ||= this.#level !== known;
    this.#level = known;
    return {};
  }

  async #subscribe({ uri }: JsonObject): Promise<JsonObject> {
    if (typeof uri !== 'string') throw new WireError(wireCodes.params, 'resources/subscribe needs a text "uri"');
    await this.#watched.watch(this.peer.view, uri);
    await this.#keep();
    return {};
  }

  async #unsubscribe({ uri }: JsonObject): Promise<JsonObject> {
    if (typeof uri !== 'string') return {};
    await this.#watched.unwatch(uri);
    await this.#keep();
    return {};
  }

  async #keep(): Promise<void> {
    await this.keep?.();
    this.#isChanged = false;
  }

  /** Whether a tool is not what this process knows that the client was shown: another one may have shown it since. */
  #isOutdated(name: unknown): boolean {
    if (this.refresh === undefined || typeof name !== 'string') return false;
    const shown = this.#shown?.tools.get(name)?.definitionHash;
    return shown !== undefined && shown !== this.peer.view.listing.tools.get(name)?.definitionHash;
  }

  /** What the client can do for a tool that it called, over the channel of that call. */
  clientOn(channel: ClientChannel): CallClient {
    const { canSend } = channel;
    return toCallClient(
      this,
      canSend ? this.#abilities : nothing,
      (method, asked, asking) => this.#ask(channel, method, asked, asking),
      canSend ? (message) => this.#log(channel, message) : undefined,
    );
  }

  #log(channel: ClientChannel, message: LogMessage): void {
    if (isLogged(message.level, this.#level)) channel.send(notificationText('notifications/message', { ...message }));
  }

  #ask(
    channel: ClientChannel,
    method: string,
    params: JsonObject,
    asking: QuestionOptions | undefined,
  ): Promise<JsonObject> {
    const id = `${this.#asker}-${(this.#asked += 1)}`;
    const signal = asking?.signal;
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    const withdraw = (): void => {
      channel.send(
        notificationText('notifications/cancelled', { requestId: id, reason: 'the answer is not needed any more' }),
      );
      if (signal !== undefined) reject(abortReason(signal));
    };
    signal?.addEventListener('abort', withdraw, { once: true });
    this.#questions.set(id, { resolve, reject });
    // Elicitation of the form kind is older than its name.
    const { mode, ...rest } = params;
    const asked = mode === 'form' && (this.#version ?? '') < '2025-11-25' ? rest : params;
    channel.send(JSON.stringify({ jsonrpc: '2.0', id, method, params: asked }));
    return promise.finally(() => {
      this.#questions.delete(id);
      signal?.removeEventListener('abort', withdraw);
    });
  }

  #tell(method: string, params: JsonObject): void {
    // On a pipe the client may turn out to speak the revision in which nothing is told unasked.
    if (this.#version !== undefined) this.#channel.send(notificationText(method, params));
  }
}

/** Whoever waits for the answer to one request of a session. What most tools never ask for is made when one does. */
class SessionCaller implements RequestContext {
  readonly isModern = false;
  readonly signal: LightAbortSignal;
  readonly onProgress: RequestContext['onProgress'];
  readonly #session: LegacySession;
  readonly #channel: ClientChannel;
  #client: CallClient | undefined;

  constructor(session: LegacySession, params: JsonObject, channel: ClientChannel, stop: LightAbortSignal) {
    const token = channel.canSend ? parseProgressToken(params) : undefined;
    this.#session = session;
    this.#channel = channel;
    this.signal = stop;
    this.onProgress = token === undefined ? undefined : progressTo(channel, token);
  }

  get principal(): Principal {
    return this.#session.principal;
  }

  get view(): View {
    return this.#session.peer.view;
  }

  get session(): string {
    return this.#session.name;
  }

  get shown(): Shown | undefined {
    return this.#session.shown;
  }

  get client(): CallClient {
    return (this.#client ??= this.#session.clientOn(this.#channel));
  }
}

/** Reports progress under the token that the client gave. */
function progressTo(channel: ClientChannel, progressToken: string | number): (progress: Progress) => void {
  return (progress) => channel.send(notificationText('notifications/progress', { ...progress, progressToken }));
}
