import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { ApproveOptions, DenyOptions } from '../pipeline/approvals/approval-inbox.ts';
import { fallbackPollMs } from '../journal/store/pub-sub.ts';
import type { SessionRecord } from '../journal/store/session-store.ts';
import { SignalboxError } from '../core/errors.ts';
import { newId } from '../core/identifiers.ts';
import type { JsonObject } from '../core/json/json.ts';
import type { Principal } from '../core/principal.ts';
import type { TranscriptMessage } from '../runtimes/runtime.ts';
import { type Agents, findAgent, defaultMode } from './agent.ts';
import { assertAgentDirectory, checkDirectory, checkMessage, checkMode, checkTitle } from './check-session.ts';
import { AnswerRouter } from './turns/answer-router.ts';
import { EventLog } from './events/event-log.ts';
import { type PendingElicitation, readPendingElicitations } from './turns/turn-elicitations.ts';
import { readEvents, watchEvents } from './events/read-events.ts';
import { ServerStatusNotifier } from './server-status.ts';
import type { SessionBox } from './session-box.ts';
import type { SessionEvent } from './events/session-event.ts';
import { SessionPubSub } from './session-pub-sub.ts';
import { toSessionPage, toRecordQuery, toTitle, toSession } from './session-view.ts';
import type {
  AgentSummary,
  ApprovalSelector,
  EventOptions,
  NewSession,
  SendOptions,
  SentMessage,
  Session,
  SessionChange,
  SessionPage,
  SessionQuery,
  Sessions,
} from './sessions.ts';
import { SessionSweeper } from './session-sweeper.ts';
import { TranscriptBuilder } from './events/event-transcript.ts';
import { recallMemory } from './turns/running-turn.ts';
import { type TurnRefusal, TurnRunner } from './turns/turn-runner.ts';
import { SessionWatchers } from './events/watchers.ts';

/** The settings of sessions. All have defaults. */
export interface SessionSettings {
  /** The working directory of sessions that name none: that of the process. */
  readonly cwd?: string;
  /** Idle time after which the tool state of a session is removed from memory (30 min). */
  readonly idleMs?: number;
  /** Idle time after which a session is deleted (90 days). */
  readonly keepMs?: number;
  /** The maximum number of stored events per session (200,000). */
  readonly keepEvents?: number;
  /** The time for which an agent's question waits for its answer (2 h). */
  readonly questionMs?: number;
  /** The time for which a server's question to the user waits for its answer (10 min). */
  readonly elicitationMs?: number;
  /** The maximum number of concurrent turns in this process, not counting turns that wait for a human (32). With 0, other processes run them. */
  readonly turnsAtOnce?: number;
  /** Messages left by an earlier process run after this resolves, so that the tools they may need are connected. */
  readonly ready?: Promise<unknown>;
}

/** The options of `createSessions`. */
export interface SessionsOptions extends SessionSettings {
  readonly box: SessionBox;
  readonly agents: Agents;
  /** Returns why turns of a principal may not run. Such turns end with `turn-refused`. */
  readonly refusal?: TurnRefusal;
}

const minute = 60_000;
const defaults = {
  idleMs: 30 * minute,
  keepMs: 90 * 24 * 60 * minute,
  keepEvents: 200_000,
  questionMs: 120 * minute,
  // Equal to the time for which a question pauses the timeout of its call.
  elicitationMs: 10 * minute,
  turnsAtOnce: 32,
} as const;
const maxQueuedMessages = 100;
const deleteGraceMs = 5000;
const deletePollMs = 20;
/** The interval at which watchers poll the store when the pub/sub does not reach other processes. */
const watcherPollMs = 1000;
/** The interval at which this process looks for turns whose process died. */
const recoverIntervalMs = 1500;

/**
 * Opens the sessions in the box's store. Ends turns whose process died, and runs waiting messages. Close the sessions before
 * the box. The caller owns the runtimes of the agents and closes them.
 */
export async function createSessions(options: SessionsOptions): Promise<Sessions> {
  const sessions = new SessionService(options);
  await sessions.open(options.ready);
  return sessions;
}

class SessionService implements Sessions {
  readonly #box: SessionBox;
  readonly #agents: Agents;
  readonly #cwd: string;
  readonly #idleMs: number;
  readonly #watchers = new SessionWatchers();
  readonly #pubSub: SessionPubSub;
  readonly #log: EventLog;
  readonly #turns: TurnRunner;
  readonly #answers: AnswerRouter;
  readonly #serverStatus: ServerStatusNotifier;
  readonly #sweeper: SessionSweeper;
  readonly #timers: NodeJS.Timeout[] = [];
  #closing: Promise<void> | undefined;

  constructor({ box, agents, cwd = process.cwd(), ...options }: SessionsOptions) {
    const { idleMs, keepMs, keepEvents, questionMs, elicitationMs, turnsAtOnce } = { ...defaults, ...options };
    this.#box = box;
    this.#agents = agents;
    this.#cwd = cwd;
    this.#idleMs = idleMs;
    const { sessionStore: store } = box;
    const watchers = this.#watchers;
    const pubSub = new SessionPubSub(box.shared.pubSub);
    this.#pubSub = pubSub;
    const log = new EventLog({ store, watchers, pubSub, redact: (text) => box.secrets.redact(text) });
    const turns = new TurnRunner({
      box,
      log,
      agents,
      pubSub,
      maxConcurrent: turnsAtOnce,
      questionMs,
      elicitationMs,
      keepEvents,
      refusal: options.refusal,
      onTurn: (id) => this.#sweeper.markActive(id),
    });
    this.#log = log;
    this.#turns = turns;
    this.#answers = new AnswerRouter({ box, turns, pubSub });
    this.#serverStatus = new ServerStatusNotifier({ box, log, turns, watchers });
    this.#sweeper = new SessionSweeper({
      box,
      idleMs,
      keepMs,
      isBusy: (session) => turns.isBusy(session),
      forget: (session) => this.#delete(session),
      recover: () => turns.open(),
    });
    pubSub.on('deleted', ({ session }) => this.#release(session));
    pubSub.onGap(() => void this.#poll());
  }

  async open(ready?: Promise<unknown>): Promise<void> {
    await (ready === undefined ? this.#turns.open() : this.#turns.recover());
    this.#sweeper.start();
    // If `ready` rejects or takes too long, the sweeper opens them.
    ready?.then(() => this.#turns.open()).catch(() => undefined);
    const { isCrossProcess } = this.#pubSub;
    this.#timers.push(setInterval(() => void this.#poll(), isCrossProcess ? fallbackPollMs : watcherPollMs));
    const recover = (): void => void this.#turns.recover().catch(() => undefined);
    if (isCrossProcess) this.#timers.push(setInterval(recover, recoverIntervalMs));
    for (const timer of this.#timers) timer.unref();
  }

  agents(): readonly AgentSummary[] {
    const { defaultName } = this.#agents;
    return this.#agents.list().map(({ name, runtime, model }) => ({
      name,
      runtime: runtime.name,
      ...(model === undefined ? {} : { model }),
      isDefault: name === defaultName,
    }));
  }

  async create(request: NewSession, owner: Principal): Promise<Session> {
    this.#assertOpen();
    const agent = findAgent(this.#agents, request.agent ?? this.#agents.defaultName);
    const defaultDirectory = agent.cwd ?? this.#cwd;
    const cwd = await checkDirectory(request.cwd ?? defaultDirectory);
    await assertAgentDirectory(cwd, defaultDirectory, owner, agent);
    const now = Date.now();
    const id = newId('sess');
    await this.#box.sessionStore.create({
      id,
      agent: agent.name,
      runtime: agent.runtime.name,
      model: agent.model ?? '',
      title: request.title === undefined ? '' : this.#box.secrets.redact(checkTitle(request.title)),
      cwd,
      permissionMode: checkMode(request.permissionMode ?? defaultMode(agent, owner)),
      owner: { id: owner.id, kind: owner.kind },
      createdAt: now,
      activeAt: now,
      forkedFrom: '',
      lastTurn: '',
    });
    return this.get(id);
  }

  async list(query: SessionQuery = {}): Promise<SessionPage> {
    const wanted = toRecordQuery(query);
    return toSessionPage(await this.#box.sessionStore.select(wanted), wanted.limit, this.#idleMs);
  }

  count(query?: { readonly cwd?: string; readonly owner?: string }): Promise<number> {
    return this.#box.sessionStore.count(query);
  }

  async get(id: string): Promise<Session> {
    return toSession(await this.#find(id), this.#idleMs);
  }

  async change(id: string, { title, permissionMode }: SessionChange): Promise<Session> {
    this.#assertOpen();
    const record = await this.#find(id);
    const set = {
      ...(title === undefined ? {} : { title: this.#box.secrets.redact(checkTitle(title)) }),
      ...(permissionMode === undefined ? {} : { permissionMode: checkMode(permissionMode) }),
    };
    const events = permissionMode === undefined ? [] : [this.#serverStatus.statusOf({ ...record, ...set })];
    await this.#log.write(id, events, { set });
    return this.get(id);
  }

  async delete(id: string): Promise<void> {
    this.#assertOpen();
    await this.#find(id);
    await this.#delete(id);
  }

  async fork(id: string, owner: Principal): Promise<Session> {
    this.#assertOpen();
    const { lastSeq, turnSeq, turn, queued: _, ...facts } = await this.#find(id);
    const fork = newId('sess');
    await this.#box.sessionStore.create({
      ...facts,
      id: fork,
      permissionMode: defaultMode(facts, owner),
      owner: { id: owner.id, kind: owner.kind },
      createdAt: Date.now(),
      activeAt: Date.now(),
      forkedFrom: id,
      // The fork does not include a running turn.
      copiesTo: turn === 'none' ? lastSeq : turnSeq - 1,
    });
    return this.get(fork);
  }

  async transcript(id: string): Promise<readonly TranscriptMessage[]> {
    const { agent: name, cwd } = await this.#find(id);
    const store = this.#box.sessionStore;
    const runtime = this.#agents.list().find((agent) => agent.name === name)?.runtime;
    if (runtime?.transcript !== undefined) {
      const { memory } = recallMemory(await store.memory(id), id, runtime.name);
      const messages = memory === undefined ? undefined : await runtime.transcript(memory, cwd);
      if (messages !== undefined) return this.#redactMessages(messages);
    }
    const transcript = new TranscriptBuilder();
    for await (const event of readEvents(store, id, 0)) transcript.add(event);
    return this.#redactMessages(transcript.messages);
  }

  async send(id: string, content: string, by: Principal, { idempotencyKey }: SendOptions = {}): Promise<SentMessage> {
    this.#assertOpen();
    const message = checkMessage(content);
    const text = this.#box.secrets.redact(message);
    const turnId = newId('turn');
    const queued = await this.#box.sessionStore.queue({
      id: turnId,
      session: id,
      content: text,
      by: { id: by.id, kind: by.kind },
      at: Date.now(),
      title: toTitle(text),
      maxWaiting: maxQueuedMessages,
      ...(idempotencyKey === undefined ? {} : { key: toSenderKey(by, idempotencyKey) }),
    });
    if (queued === undefined) throw await this.#busy(id);
    if (queued.turnId === turnId) this.#turns.runQueued(id);
    return { ...queued, ...(text === message ? {} : { redacted: true }) };
  }

  async interrupt(id: string): Promise<boolean> {
    await this.#find(id);
    return this.#turns.interrupt(id, 'the turn was interrupted');
  }

  async approve(
    id: string,
    toolCallId: string,
    { approvalId, ...answer }: ApproveOptions & ApprovalSelector,
  ): Promise<void> {
    await this.#box.approvals.approve(
      await this.#answers.findApproval(await this.#find(id), toolCallId, approvalId),
      answer,
    );
  }

  async deny(id: string, toolCallId: string, { approvalId, ...answer }: DenyOptions & ApprovalSelector): Promise<void> {
    await this.#box.approvals.deny(
      await this.#answers.findApproval(await this.#find(id), toolCallId, approvalId),
      answer,
    );
  }

  async answer(id: string, toolCallId: string, answers: JsonObject, by: Principal): Promise<void> {
    await this.#answers.answer(await this.#find(id), toolCallId, answers, by);
  }

  elicitations(): Promise<readonly PendingElicitation[]> {
    return readPendingElicitations(this.#box.sessionStore);
  }

  async answerElicitation(id: string, elicitationId: string, answer: JsonObject, by: Principal): Promise<void> {
    await this.#answers.answerElicitation(await this.#find(id), elicitationId, answer, by);
  }

  async *events(id: string, { after, signal }: EventOptions): AsyncGenerator<SessionEvent, void, undefined> {
    const { lastSeq, turnSeq } = await this.#find(id);
    const from = after === undefined ? turnSeq - 1 : Math.min(Math.trunc(after) || 0, lastSeq);
    yield* watchEvents(this.#box.sessionStore, this.#watchers, id, { after: Math.max(0, from), signal });
  }

  subscribe(listener: (event: SessionEvent) => void): () => void {
    return this.#log.subscribe(listener);
  }

  close({ graceMs = 5000 }: { readonly graceMs?: number } = {}): Promise<void> {
    return (this.#closing ??= this.#close(graceMs));
  }

  async #close(graceMs: number): Promise<void> {
    this.#sweeper.stop();
    this.#serverStatus.stop();
    for (const timer of this.#timers) clearInterval(timer);
    await this.#turns.close(graceMs);
    await this.#log.drain();
    this.#watchers.close();
    this.#pubSub.close();
  }

  async #delete(id: string): Promise<void> {
    await this.#turns.interrupt(id, 'the session was deleted');
    const until = Date.now() + deleteGraceMs;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, deleteGraceMs);
    await Promise.race([this.#turns.whenIdle(id), late]);
    clearTimeout(timer);
    // The turn may run in another process, which has received the interrupt.
    while (Date.now() < until && (await this.#isRunning(id))) await wait(deletePollMs);
    await this.#box.sessionStore.delete(id);
    this.#release(id);
    await this.#pubSub.publish('deleted', { session: id });
  }

  async #isRunning(id: string): Promise<boolean> {
    const session = await this.#box.sessionStore.find(id);
    return session !== undefined && session.turn !== 'none';
  }

  /** Releases the resources of a deleted session. */
  #release(id: string): void {
    this.#box.endSession(id);
    this.#watchers.end(id);
  }

  /** Finds events and deletions of other processes for which no message arrived. */
  async #poll(): Promise<void> {
    try {
      for (const id of this.#watchers.sessions()) {
        const session = await this.#box.sessionStore.find(id);
        if (session === undefined) this.#release(id);
        else this.#watchers.wakeAt(id, session.lastSeq);
      }
    } catch {
      // The store may be temporarily unavailable; the next poll tries again.
    }
  }

  /** Redacts secrets: a runtime's own transcript is unredacted, and secrets may have been registered after an event was written. */
  #redactMessages(messages: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
    const text = JSON.stringify(messages);
    const redacted = this.#box.secrets.redact(text);
    return redacted === text ? messages : (JSON.parse(redacted) as TranscriptMessage[]);
  }

  async #find(id: string): Promise<SessionRecord> {
    const record = await this.#box.sessionStore.find(id);
    if (record !== undefined) return record;
    throw new SignalboxError('session-unknown', `there is no session ${JSON.stringify(id)}; it may have been deleted`);
  }

  async #busy(id: string): Promise<SignalboxError> {
    await this.#find(id);
    return new SignalboxError(
      'session-busy',
      `the session already has the maximum of ${maxQueuedMessages} queued messages; wait until some are answered, or interrupt the session`,
    );
  }

  #assertOpen(): void {
    if (this.#closing === undefined) return;
    throw new SignalboxError('box-closed', 'Signalbox is closing and accepts no more messages');
  }
}

/** Returns a key of fixed length that is unique to its sender. */
function toSenderKey(by: Principal, key: string): string {
  return hash('sha256', JSON.stringify([by.id, key]), 'hex');
}
