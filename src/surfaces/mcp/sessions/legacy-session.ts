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
import { type ClientChannel, type Peer, RequestContext, toCallClient } from '../requests/request-context.ts';
import type { ListChangeNotifier } from '../listing/list-changes.ts';
import { type ListMethod, findMethod, isListMethod, listPage } from '../requests/methods.ts';
import { negotiateVersion, serverCapabilities, serverInfo } from '../protocol/handshake.ts';
import type { ShownTools } from '../listing/catalog-view.ts';
import { ResourceSubscriptions } from '../listing/resource-subscriptions.ts';
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

const noFeatures: ClientFeatures = { form: false, url: false, sample: false, roots: false };

/** The state of a session that another process needs to continue it. Stored as JSON. */
export interface SessionState {
  /** The session id in the journal. */
  readonly name: string;
  readonly version: string;
  readonly client: ClientName;
  readonly abilities: ClientFeatures;
  readonly level: LogLevel;
  /** The URIs of the resources that the client subscribed to. */
  readonly watched: readonly string[];
}

/** A request that was sent to the client and is not answered yet. */
interface PendingQuestion {
  resolve(result: JsonObject): void;
  reject(error: Error): void;
}

/** A session with a client of a revision before 2026-07-28, over any transport. */
export class LegacySession {
  readonly peer: Peer;
  readonly #services: EndpointServices;
  /** Carries messages that belong to no request. */
  readonly #channel: ClientChannel;
  readonly #running = new KeyedSlotMap<RequestId, LightAbortSignal>();
  readonly #questions = new Map<RequestId, PendingQuestion>();
  readonly #watched: ResourceSubscriptions;
  readonly #stopListening: () => void;
  /** Prefix of question ids, unique among the processes that serve the session. */
  readonly #questionPrefix = newId('ask');
  /** Stores the changed state for other processes. The request that made the change is answered afterwards. */
  save: (() => Promise<void>) | undefined;
  /** Loads the state that other processes may have changed. */
  refresh: (() => Promise<void>) | undefined;
  #name = newId('mcp');
  #isChanged = false;
  #version: string | undefined;
  #client: ClientName = parseClientName(undefined);
  #principal: Principal | undefined;
  #features = noFeatures;
  #level: LogLevel = 'info';
  /** The tools that the client was shown last; its calls are pinned to their definitions. */
  #shown: ShownTools | undefined;
  #questionCount = 0;

  constructor(services: EndpointServices, changes: ListChangeNotifier, peer: Peer, channel: ClientChannel) {
    this.#services = services;
    this.peer = peer;
    this.#channel = channel;
    this.#watched = new ResourceSubscriptions(
      services.box,
      () => ({
        principal: this.principal,
        session: this.#name,
        profile: peer.view.profile,
        waitMs: services.approvalWaitMs,
      }),
      (uri) => this.#notify('notifications/resources/updated', { uri }),
    );
    this.#stopListening = changes.listen(peer.view, (list) => {
      // A client that has listed the tools since the change is not notified.
      if (list === 'tools' && this.#shown === peer.view.listing) return;
      this.#notify(`notifications/${list}/list_changed`, {});
    });
  }

  /** The principal of its calls. */
  get principal(): Principal {
    return (this.#principal ??= this.peer.principalOf?.(this.#client) ?? this.peer.principal);
  }

  /** The session id that its calls are recorded under. */
  get name(): string {
    return this.#name;
  }

  /** The tools that the client was shown last. */
  get shown(): ShownTools | undefined {
    return this.#shown;
  }

  /** The state that another process needs to continue it; `undefined` before it is initialized. */
  get state(): SessionState | undefined {
    const version = this.#version;
    if (version === undefined) return undefined;
    const level = this.#level;
    return {
      name: this.#name,
      version,
      client: this.#client,
      abilities: this.#features,
      level,
      watched: this.#watched.uris,
    };
  }

  /** Continues from the state that another process stored. */
  restore({ name, version, client, abilities, level, watched }: SessionState, shown: ShownTools | undefined): void {
    this.#name = name;
    this.#version = version;
    this.#client = client;
    this.#features = abilities;
    this.#level = level;
    this.#shown = shown;
    this.#watched.replaceAll(this.peer.view, watched);
  }

  /** Notifies a client that comes from another process if the tools changed in between. */
  notifyMissedChanges(): void {
    const shown = this.#shown?.tools;
    if (shown === undefined) return;
    for (const [name, { definitionHash }] of this.peer.view.listing.tools)
      if (shown.get(name)?.definitionHash !== definitionHash)
        return this.#notify('notifications/tools/list_changed', {});
  }

  /** The negotiated protocol revision. */
  get version(): string | undefined {
    return this.#version;
  }

  /** The name and version that the client reported. */
  get client(): ClientName {
    return this.#client;
  }

  /** Whether it has a request in progress. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /**
   * Serves a request. Questions and notifications in between go through the channel. The session aborts `stop` when the client cancels
   * the request; the transport aborts it when the client is gone.
   */
  serve(
    { id, method, params }: WireRequest,
    channel: ClientChannel,
    stop = new LightAbortSignal(),
  ): Answer | Promise<Answer> {
    // Many clients list only once, so a list waits for servers that are starting.
    const starting = isListMethod(method) ? this.peer.view.awaitStartup(stop) : undefined;
    const ready = starting === undefined ? this.#serveNow(method, params) : undefined;
    if (ready !== undefined) return this.#isChanged ? this.#save().then(() => ready) : ready;
    if (this.#running.has(id)) throw new WireError(wireCodes.request, `a request with the id ${id} is in progress`);
    const answering =
      starting === undefined
        ? this.#serveLater(method, params, channel, stop)
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

  #serveLater(method: string, params: JsonObject, channel: ClientChannel, stop: LightAbortSignal): Promise<Answer> {
    if (method === 'resources/subscribe') return this.#subscribe(params);
    if (method === 'resources/unsubscribe') return this.#unsubscribe(params);
    const handle = findMethod(method);
    const serve = (): Promise<Answer> => handle(this.#services, params, this.#context(params, channel, stop));
    const outdated = method === 'tools/call' && this.#isOutdated(params['name']) ? this.refresh?.() : undefined;
    return outdated === undefined ? serve() : outdated.then(serve);
  }

  #context(params: JsonObject, channel: ClientChannel, signal: LightAbortSignal): RequestContext {
    const token = channel.canSend ? parseProgressToken(params) : undefined;
    return new RequestContext({
      isModern: false,
      principal: this.principal,
      view: this.peer.view,
      session: this.#name,
      signal,
      waitMs: this.#services.approvalWaitMs,
      shown: this.#shown,
      onProgress: token === undefined ? undefined : progressTo(channel, token),
      createClient: () => this.#createClient(channel),
    });
  }

  /** Handles a notification, or a response to a question. Returns false when it belongs to another process. */
  receive(message: WireNotification | WireResponse): boolean {
    return message.kind === 'response' ? this.#receiveResponse(message) : this.#receiveNotification(message);
  }

  #receiveNotification({ method, params }: WireNotification): boolean {
    if (method !== 'notifications/cancelled') return true;
    const id = params['requestId'];
    const running = typeof id === 'string' || typeof id === 'number' ? this.#running.get(id) : undefined;
    running?.abort(new DOMException('the client cancelled its request', 'AbortError'));
    return running !== undefined;
  }

  #receiveResponse({ id, result, error }: WireResponse): boolean {
    const question = this.#questions.get(id);
    if (result !== undefined) question?.resolve(result);
    else question?.reject(new Error(`the client refused: ${error?.message ?? 'no reason was given'}`));
    return question !== undefined;
  }

  /** Aborts all requests in progress, which are still answered. */
  abortRequests(reason: Error): void {
    for (const controller of this.#running.values()) controller.abort(reason);
  }

  /** Cancels all requests in progress, because the client is gone. */
  close(): void {
    this.#stopListening();
    this.#watched.close();
    const gone = new DOMException('the client is gone', 'AbortError');
    this.abortRequests(gone);
    for (const question of this.#questions.values()) question.reject(gone);
  }

  #serveNow(method: string, params: JsonObject): Answer | undefined {
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
    if (this.#isChanged) await this.#save();
    return page;
  }

  #initialize({ protocolVersion, capabilities, clientInfo }: JsonObject): JsonObject {
    if (this.#version !== undefined) throw new WireError(wireCodes.request, 'this session is already initialized');
    if (typeof protocolVersion !== 'string')
      throw new WireError(wireCodes.params, 'initialize needs a string "protocolVersion"');
    this.#version = negotiateVersion(protocolVersion);
    this.#features = parseClientFeatures(capabilities);
    this.#client = parseClientName(clientInfo);
    this.#principal = undefined;
    this.#isChanged = true;
    return {
      protocolVersion: this.#version,
      capabilities: { ...serverCapabilities, logging: {} },
      serverInfo: serverInfo(this.#services.box.version),
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
    if (typeof uri !== 'string') throw new WireError(wireCodes.params, 'resources/subscribe needs a string "uri"');
    await this.#watched.watch(this.peer.view, uri);
    await this.#save();
    return {};
  }

  async #unsubscribe({ uri }: JsonObject): Promise<JsonObject> {
    if (typeof uri !== 'string') return {};
    await this.#watched.unwatch(uri);
    await this.#save();
    return {};
  }

  async #save(): Promise<void> {
    await this.save?.();
    this.#isChanged = false;
  }

  /** Returns whether a tool differs from the one the client was shown, as far as this process knows. Another may have shown it since. */
  #isOutdated(name: unknown): boolean {
    if (this.refresh === undefined || typeof name !== 'string') return false;
    const shown = this.#shown?.tools.get(name)?.definitionHash;
    return shown !== undefined && shown !== this.peer.view.listing.tools.get(name)?.definitionHash;
  }

  #createClient(channel: ClientChannel): CallClient {
    const { canSend } = channel;
    return toCallClient(
      this,
      canSend ? this.#features : noFeatures,
      (method, question, asking) => this.#ask(channel, method, question, asking),
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
    const id = `${this.#questionPrefix}-${(this.#questionCount += 1)}`;
    const signal = asking?.signal;
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    const withdraw = (): void => {
      channel.send(
        notificationText('notifications/cancelled', { requestId: id, reason: 'the answer is no longer needed' }),
      );
      if (signal !== undefined) reject(abortReason(signal));
    };
    signal?.addEventListener('abort', withdraw, { once: true });
    this.#questions.set(id, { resolve, reject });
    // Revisions before 2025-11-25 have form elicitation, but no `mode`.
    const { mode, ...rest } = params;
    const question = mode === 'form' && (this.#version ?? '') < '2025-11-25' ? rest : params;
    channel.send(JSON.stringify({ jsonrpc: '2.0', id, method, params: question }));
    return promise.finally(() => {
      this.#questions.delete(id);
      signal?.removeEventListener('abort', withdraw);
    });
  }

  #notify(method: string, params: JsonObject): void {
    // Before initialization, a client on stdio may still be one of revision 2026-07-28, which gets no unsolicited notifications.
    if (this.#version !== undefined) this.#channel.send(notificationText(method, params));
  }
}

/** Returns a function that reports progress under the client's progress token. */
function progressTo(channel: ClientChannel, progressToken: string | number): (progress: Progress) => void {
  return (progress) => channel.send(notificationText('notifications/progress', { ...progress, progressToken }));
}
