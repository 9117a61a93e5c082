import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Approving, Denying } from '../pipeline/approvals/approval-inbox.ts';
import { fallbackPollMs } from '../journal/store/pub-sub.ts';
import type { SessionRecord } from '../journal/store/session-store.ts';
import { SignalboxError } from '../core/errors.ts';
import { newId } from '../core/identifiers.ts';
import type { JsonObject } from '../core/json/json.ts';
import type { Principal } from '../core/principal.ts';
import type { TranscriptMessage } from '../runtimes/runtime.ts';
import { type Agents, agentNamed, usualMode } from './agent.ts';
import { assertPlace } from './agent-choices.ts';
import { Answers } from './answers.ts';
import { checkDirectory, checkMessage, checkMode, checkTitle } from './check-session.ts';
import { EventLog } from './event-log.ts';
import { type PendingElicitation, pendingElicitations } from './pending-elicitations.ts';
import { readEvents } from './read-events.ts';
import { ServerNews } from './server-news.ts';
import type { SessionBox } from './session-box.ts';
import type { SessionEvent } from './session-event.ts';
import { SessionPost } from './session-post.ts';
import { pageOf, recordQuery } from './session-page.ts';
import { titleOf, toSession } from './session-view.ts';
import type { NewSession, SentMessage, Session, SessionChange } from './session.ts';
import type {
  AgentSummary,
  EventOptions,
  ApprovalSelector,
  SendOptions,
  SessionPage,
  SessionQuery,
  Sessions,
} from './sessions.ts';
import { Sweep } from './sweep.ts';
import { TranscriptOfEvents } from './transcript-of-events.ts';
import { recallTurn } from './turn-memory.ts';
import { type Refusal, Turns } from './turns.ts';
import { watchEvents } from './watch-events.ts';
import { Watchers } from './watchers.ts';

/** What sessions are made of. */
export interface SessionsOptions {
  readonly box: SessionBox;
  readonly agents: Agents;
  /** The working directory of sessions that name none: that of the process. */
  readonly cwd?: string;
  /** After so long without activity nothing of a session is kept in memory (30 min). */
  readonly idleMs?: number;
  /** After so long without activity a session is deleted (90 days). */
  readonly keepMs?: number;
  /** How many events of a session are kept (200,000). */
  readonly keepEvents?: number;
  /** How long an agent's question waits for its answer (2 h). */
  readonly questionMs?: number;
  /** How long a server's question to the user waits for its answer (10 min). */
  readonly elicitationMs?: number;
  /** Says why turns in the name of a principal may not run (any more): they end with `turn-refused`. */
  readonly refusal?: Refusal;
  /** How many turns run in this process at once, those that wait for a human not counted (32); 0: none, other processes of the store run them. */
  readonly turnsAtOnce?: number;
  /** Messages that wait since an earlier process are taken up after this: when the tools are there that they may be about. */
  readonly ready?: Promise<unknown>;
}

const minute = 60_000;
const usual = {
  idleMs: 30 * minute,
  keepMs: 90 * 24 * 60 * minute,
  keepEvents: 200_000,
  questionMs: 120 * minute,
  // Equal to the time for which a question pauses the timeout of its call.
  elicitationMs: 10 * minute,
  turnsAtOnce: 32,
} as const;
const mostQueued = 100;
const deleteGraceMs = 5000;
const deleteLookMs = 20;
/** How late a watcher is where nobody tells what another process writes. */
const lookEveryMs = 1000;
/** How long a turn whose process died may look alive. */
const recoverEveryMs = 1500;

/**
 * Opens the sessions that are kept in the box's store. Turns that died with an earlier process are ended, and messages that
 * wait are taken up. Close them before the box; the agents' runtimes belong to whoever made them.
 */
export async function createSessions(options: SessionsOptions): Promise<Sessions> {
  const sessions = new KeptSessions(options);
  await sessions.open(options.ready);
  return sessions;
}

class KeptSessions implements Sessions {
  readonly #box: SessionBox;
  readonly #agents: Agents;
  readonly #cwd: string;
  readonly #idleMs: number;
  readonly #watchers = new Watchers();
  readonly #post: SessionPost;
  readonly #log: EventLog;
  readonly #turns: Turns;
  readonly #answers: Answers;
  readonly #news: ServerNews;
  readonly #sweep: Sweep;
  readonly #timers: NodeJS.Timeout[] = [];
  #closing: Promise<void> | undefined;

  constructor({ box, agents, cwd = process.cwd(), ...given }: SessionsOptions) {
    const { idleMs, keepMs, keepEvents, questionMs, elicitationMs, turnsAtOnce } = { ...usual, ...given };
    this.#box = box;
    this.#agents = agents;
    this.#cwd = cwd;
    this.#idleMs = idleMs;
    const { sessionStore: store } = box;
    const watchers = this.#watchers;
    const post = new SessionPost(box.shared.pubSub);
    this.#post = post;
    const log = new EventLog({ store, watchers, post, redact: (text) => box.secrets.redact(text) });
    const turns = new Turns({
      box,
      log,
      agents,
      post,
      atOnce: turnsAtOnce,
      questionMs,
      elicitationMs,
      keepEvents,
      refusal: given.refusal,
      onTurn: (id) => this.#sweep.touched(id),
    });
    this.#log = log;
    this.#turns = turns;
    this.#answers = new Answers({ box, turns, post });
    this.#news = new ServerNews({ box, log, turns, watchers });
    this.#sweep = new Sweep({
      box,
      idleMs,
      keepMs,
      isBusy: (session) => turns.isBusy(session),
      forget: (session) => this.#forget(session),
      recover: () => turns.open(),
    });
    post.on('deleted', ({ session }) => this.#ended(session));
    post.onGap(() => void this.#lookAtAll());
  }

  async open(ready?: Promise<unknown>): Promise<void> {
    await (ready === undefined ? this.#turns.open() : this.#turns.recover());
    this.#sweep.start();
    // If that comes to nothing, or takes too long, the sweep opens them.
    ready?.then(() => this.#turns.open()).catch(() => undefined);
    const isTold = this.#post.reachesOthers;
    this.#timers.push(setInterval(() => void this.#lookAtAll(), isTold ? fallbackPollMs : lookEveryMs));
    const recover = (): void => void this.#turns.recover().catch(() => undefined);
    if (isTold) this.#timers.push(setInterval(recover, recoverEveryMs));
    for (const timer of this.#timers) timer.unref();
  }

  agents(): readonly AgentSummary[] {
    const { usual: usualAgent } = this.#agents;
    return this.#agents.list().map(({ name, runtime, model }) => ({
      name,
      runtime: runtime.name,
      ...(model === undefined ? {} : { model }),
      isDefault: name === usualAgent,
    }));
  }

  async create(request: NewSession, owner: Principal): Promise<Session> {
    this.#assertOpen();
    const agent = agentNamed(this.#agents, request.agent ?? this.#agents.usual);
    const usualPlace = agent.cwd ?? this.#cwd;
    const cwd = await checkDirectory(request.cwd ?? usualPlace);
    await assertPlace(cwd, usualPlace, owner, agent);
    const now = Date.now();
    const id = newId('sess');
    await this.#box.sessionStore.create({
      id,
      agent: agent.name,
      runtime: agent.runtime.name,
      model: agent.model ?? '',
      title: request.title === undefined ? '' : this.#box.secrets.redact(checkTitle(request.title)),
      cwd,
      permissionMode: checkMode(request.permissionMode ?? usualMode(agent, owner)),
      owner: { id: owner.id, kind: owner.kind },
      createdAt: now,
      activeAt: now,
      forkedFrom: '',
      lastTurn: '',
    });
    return this.get(id);
  }

  async list(query: SessionQuery = {}): Promise<SessionPage> {
    const wanted = recordQuery(query);
    return pageOf(await this.#box.sessionStore.select(wanted), wanted.limit, this.#idleMs);
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
    const told = permissionMode === undefined ? [] : [this.#news.statusOf({ ...record, ...set })];
    await this.#log.write(id, told, { set });
    return this.get(id);
  }

  async delete(id: string): Promise<void> {
    this.#assertOpen();
    await this.#find(id);
    await this.#forget(id);
  }

  async fork(id: string, owner: Principal): Promise<Session> {
    this.#assertOpen();
    const { lastSeq, turnSeq, turn, queued: _, ...facts } = await this.#find(id);
    const fork = newId('sess');
    await this.#box.sessionStore.create({
      ...facts,
      id: fork,
      permissionMode: usualMode(facts, owner),
      owner: { id: owner.id, kind: owner.kind },
      createdAt: Date.now(),
      activeAt: Date.now(),
      forkedFrom: id,
      // A turn that runs is not part of it.
      copiesTo: turn === 'none' ? lastSeq : turnSeq - 1,
    });
    return this.get(fork);
  }

  async transcript(id: string): Promise<readonly TranscriptMessage[]> {
    const { agent: name, cwd } = await this.#find(id);
    const store = this.#box.sessionStore;
    const runtime = this.#agents.list().find((agent) => agent.name === name)?.runtime;
    if (runtime?.transcript !== undefined) {
      const { memory } = recallTurn(await store.memory(id), id, runtime.name);
      const told = memory === undefined ? undefined : await runtime.transcript(memory, cwd);
      if (told !== undefined) return this.#withoutSecrets(told);
    }
    const transcript = new TranscriptOfEvents();
    for await (const event of readEvents(store, id, 0)) transcript.add(event);
    return this.#withoutSecrets(transcript.messages);
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
      title: titleOf(text),
      most: mostQueued,
      ...(idempotencyKey === undefined ? {} : { key: keyOf(by, idempotencyKey) }),
    });
    if (queued === undefined) throw await this.#busy(id);
    if (queued.turnId === turnId) this.#turns.workOff(id);
    return { ...queued, ...(text === message ? {} : { redacted: true }) };
  }

  async interrupt(id: string): Promise<boolean> {
    await this.#find(id);
    return this.#turns.interrupt(id, 'the turn was interrupted');
  }

  async approve(id: string, toolCallId: string, { approvalId, ...how }: Approving & ApprovalSelector): Promise<void> {
    await this.#box.approvals.approve(
      await this.#answers.approvalOf(await this.#find(id), toolCallId, approvalId),
      how,
    );
  }

  async deny(id: string, toolCallId: string, { approvalId, ...how }: Denying & ApprovalSelector): Promise<void> {
    await this.#box.approvals.deny(await this.#answers.approvalOf(await this.#find(id), toolCallId, approvalId), how);
  }

  async answer(id: string, toolCallId: string, answers: JsonObject, by: Principal): Promise<void> {
    await this.#answers.answer(await this.#find(id), toolCallId, answers, by);
  }

  elicitations(): Promise<readonly PendingElicitation[]> {
    return pendingElicitations(this.#box.sessionStore);
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
    this.#sweep.stop();
    this.#news.stop();
    for (const timer of this.#timers) clearInterval(timer);
    await this.#turns.close(graceMs);
    await this.#log.drain();
    this.#watchers.close();
    this.#post.close();
  }

  async #forget(id: string): Promise<void> {
    await this.#turns.interrupt(id, 'the session was deleted');
    const until = Date.now() + deleteGraceMs;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, deleteGraceMs);
    await Promise.race([this.#turns.ended(id), late]);
    clearTimeout(timer);
    // Its turn may run in another process, which was told to end it.
    while (Date.now() < until && (await this.#isRunning(id))) await wait(deleteLookMs);
    await this.#box.sessionStore.delete(id);
    this.#ended(id);
    await this.#post.tell('deleted', { session: id });
  }

  async #isRunning(id: string): Promise<boolean> {
    const session = await this.#box.sessionStore.find(id);
    return session !== undefined && session.turn !== 'none';
  }

  /** There is no such session any more. */
  #ended(id: string): void {
    this.#box.endSession(id);
    this.#watchers.end(id);
  }

  /** Finds what other processes wrote or deleted without our being told. */
  async #lookAtAll(): Promise<void> {
    try {
      for (const id of this.#watchers.sessions()) {
        const session = await this.#box.sessionStore.find(id);
        if (session === undefined) this.#ended(id);
        else this.#watchers.wakeAt(id, session.lastSeq);
      }
    } catch {
      // The store may be busy or gone for a moment.
    }
  }

  /** A runtime's own file holds what it was told, and secrets that were registered since stand in what was recorded. */
  #withoutSecrets(messages: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
    const text = JSON.stringify(messages);
    const redacted = this.#box.secrets.redact(text);
    return redacted === text ? messages : (JSON.parse(redacted) as TranscriptMessage[]);
  }

  async #find(id: string): Promise<SessionRecord> {
    const record = await this.#box.sessionStore.find(id);
    if (record !== undefined) return record;
    throw new SignalboxError('session-unknown', `there is no session ${JSON.stringify(id)} (any more)`);
  }

  async #busy(id: string): Promise<SignalboxError> {
    await this.#find(id);
    return new SignalboxError(
      'session-busy',
      `${mostQueued} messages wait in the session, which is the most; wait until some were answered, or interrupt it`,
    );
  }

  #assertOpen(): void {
    if (this.#closing === undefined) return;
    throw new SignalboxError('box-closed', 'Signalbox is closing and takes no more messages');
  }
}

/** A key is its sender's own; of any length. */
function keyOf(by: Principal, key: string): string {
  return hash('sha256', JSON.stringify([by.id, key]), 'hex');
}
