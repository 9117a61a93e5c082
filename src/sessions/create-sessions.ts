import type { SessionRecord } from '../journal/session-store.ts';
import { SignalboxError } from '../model/errors.ts';
import { newId } from '../model/identifiers.ts';
import type { JsonObject } from '../model/json.ts';
import type { Principal } from '../model/principal.ts';
import type { TranscriptMessage } from '../runtimes/transcript.ts';
import type { Agent, Agents } from './agent.ts';
import { checkDirectory, checkMessage, checkMode, checkTitle } from './check-session.ts';
import { EventLog } from './event-log.ts';
import { readEvents } from './read-events.ts';
import type { SessionBox } from './session-box.ts';
import type { SessionEvent, SessionHappening } from './session-event.ts';
import { sessionServers } from './session-servers.ts';
import { titleOf, toSession } from './session-view.ts';
import type { NewSession, SentMessage, Session, SessionChange } from './session.ts';
import type { EventOptions, SessionPage, SessionQuery, Sessions } from './sessions.ts';
import { Sweep } from './sweep.ts';
import { TranscriptOfEvents } from './transcript-of-events.ts';
import { recallTurn } from './turn-memory.ts';
import { Turns, noSuchAgent } from './turns.ts';
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
  /** How long an agent's question waits for its answer (2 h). */
  readonly questionMs?: number;
}

const minute = 60_000;
const usual = { idleMs: 30 * minute, keepMs: 90 * 24 * 60 * minute, questionMs: 120 * minute } as const;
const mostQueued = 100;
const deleteGraceMs = 5000;
const catalogCalmMs = 50;
const usualPage = 50;
const largestPage = 500;

/**
 * Opens the sessions that are kept in the box's store. Turns that died with an earlier process are ended, and messages that
 * wait are taken up. Close them before the box; the agents' runtimes belong to whoever made them.
 */
export async function createSessions(options: SessionsOptions): Promise<Sessions> {
  const sessions = new KeptSessions(options);
  await sessions.open();
  return sessions;
}

class KeptSessions implements Sessions {
  readonly #box: SessionBox;
  readonly #agents: Agents;
  readonly #cwd: string;
  readonly #idleMs: number;
  readonly #watchers = new Watchers();
  readonly #log: EventLog;
  readonly #turns: Turns;
  readonly #sweep: Sweep;
  readonly #stopListening: () => void;
  #catalogTimer: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor({ box, agents, cwd = process.cwd(), ...given }: SessionsOptions) {
    const { idleMs, keepMs, questionMs } = { ...usual, ...given };
    this.#box = box;
    this.#agents = agents;
    this.#cwd = cwd;
    this.#idleMs = idleMs;
    const { sessionStore: store } = box;
    this.#log = new EventLog({ store, watchers: this.#watchers, redact: (text) => box.redact(text) });
    this.#turns = new Turns({ box, log: this.#log, agents, questionMs });
    this.#sweep = new Sweep({
      box,
      idleMs,
      keepMs,
      isBusy: (session) => this.#turns.sessions().has(session),
      forget: (session) => this.#forget(session),
      recover: () => this.#turns.recover(),
    });
    this.#stopListening = box.on('CatalogChanged', () => {
      this.#catalogTimer ??= setTimeout(() => this.#serversChanged(), catalogCalmMs).unref();
    });
  }

  async open(): Promise<void> {
    await this.#turns.recover();
    this.#sweep.start();
  }

  agents(): ReturnType<Sessions['agents']> {
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
    const agent = this.#agent(request.agent ?? this.#agents.usual);
    const now = Date.now();
    const id = newId('sess');
    await this.#box.sessionStore.create({
      id,
      agent: agent.name,
      runtime: agent.runtime.name,
      model: agent.model ?? '',
      title: request.title === undefined ? '' : checkTitle(request.title),
      cwd: await checkDirectory(request.cwd ?? this.#cwd),
      permissionMode: checkMode(request.permissionMode ?? 'default'),
      owner: { id: owner.id, kind: owner.kind },
      createdAt: now,
      activeAt: now,
      forkedFrom: '',
      lastTurn: '',
    });
    return this.get(id);
  }

  async list({ limit = usualPage, after, cwd, owner, active }: SessionQuery = {}): Promise<SessionPage> {
    const size = Math.max(1, Math.min(limit, largestPage));
    const records = await this.#box.sessionStore.select({
      limit: size + 1,
      ...(after === undefined ? {} : { after: cursorOf(after) }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(owner === undefined ? {} : { owner }),
      ...(active === undefined ? {} : { active }),
    });
    const items = records.slice(0, size).map((record) => toSession(record, this.#idleMs));
    const last = records[size - 1];
    return { items, ...(records.length > size && last !== undefined ? { next: `${last.activeAt}.${last.id}` } : {}) };
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
      ...(title === undefined ? {} : { title: checkTitle(title) }),
      ...(permissionMode === undefined ? {} : { permissionMode: checkMode(permissionMode) }),
    };
    const told = permissionMode === undefined ? [] : [this.#statusOf({ ...record, ...set })];
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
    const parent = await this.#find(id);
    const { lastSeq, turnSeq, turn, queued: _, ...facts } = parent;
    const fork = newId('sess');
    await this.#box.sessionStore.create({
      ...facts,
      id: fork,
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
      if (told !== undefined) return told;
    }
    const transcript = new TranscriptOfEvents();
    for await (const event of readEvents(store, id, 0)) transcript.add(event);
    return transcript.messages;
  }

  async send(id: string, content: string, by: Principal): Promise<SentMessage> {
    this.#assertOpen();
    const text = checkMessage(content);
    const { lastSeq: afterSeq, title } = await this.#find(id);
    const turnId = newId('turn');
    const author = { id: by.id, kind: by.kind };
    const turn = { id: turnId, session: id, content: this.#box.redact(text), by: author };
    const position = await this.#box.sessionStore.queue(turn, mostQueued);
    if (position === undefined) throw await this.#busy(id);
    if (title === '') await this.#log.write(id, [], { set: { title: titleOf(turn.content) } });
    this.#sweep.touched(id);
    this.#turns.workOff(id);
    return { turnId, afterSeq, position };
  }

  async interrupt(id: string): Promise<boolean> {
    await this.#find(id);
    const count = await this.#box.sessionStore.interrupt(id);
    this.#turns.of(id)?.interrupt('the turn was interrupted');
    return count > 0;
  }

  async approve(id: string, toolCallId: string, how: Parameters<Sessions['approve']>[2]): Promise<void> {
    await this.#box.approvals.approve(await this.#approvalOf(id, toolCallId), how);
  }

  async deny(id: string, toolCallId: string, how: Parameters<Sessions['deny']>[2]): Promise<void> {
    await this.#box.approvals.deny(await this.#approvalOf(id, toolCallId), how);
  }

  async answer(id: string, toolCallId: string, answers: JsonObject, by: Principal): Promise<void> {
    const record = await this.#find(id);
    if (this.#turns.of(id)?.questions.answer(toolCallId, answers, by) === true) return;
    for await (const event of readEvents(this.#box.sessionStore, id, Math.max(0, record.turnSeq - 1)))
      if (event.type === 'question_answered' && event.toolCallId === toolCallId)
        throw new SignalboxError('question-answered', `the question was already answered, by ${event.by}`);
    throw new SignalboxError(
      'question-unknown',
      `no question waits under ${JSON.stringify(toolCallId)}; those that do are told as "question_prompt"`,
    );
  }

  async *events(id: string, { after, signal }: EventOptions): AsyncGenerator<SessionEvent, void, undefined> {
    const { lastSeq, turnSeq } = await this.#find(id);
    const from = after === undefined ? Math.max(0, turnSeq - 1) : Math.min(Math.max(0, after), lastSeq);
    yield* watchEvents(this.#box.sessionStore, this.#watchers, id, { after: from, signal });
  }

  subscribe(listener: Parameters<Sessions['subscribe']>[0]): () => void {
    return this.#log.subscribe(listener);
  }

  close({ graceMs = 5000 }: { readonly graceMs?: number } = {}): Promise<void> {
    return (this.#closing ??= this.#close(graceMs));
  }

  async #close(graceMs: number): Promise<void> {
    this.#sweep.stop();
    this.#stopListening();
    clearTimeout(this.#catalogTimer);
    await this.#turns.close(graceMs);
    await this.#log.drain();
    this.#watchers.close();
  }

  async #forget(id: string): Promise<void> {
    await this.#box.sessionStore.interrupt(id);
    this.#turns.of(id)?.interrupt('the session was deleted');
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, deleteGraceMs);
    await Promise.race([this.#turns.ended(id), late]);
    clearTimeout(timer);
    await this.#box.sessionStore.delete(id);
    this.#box.endSession(id);
    this.#watchers.wake(id);
  }

  #serversChanged(): void {
    this.#catalogTimer = undefined;
    for (const turn of this.#turns.all()) turn.refresh();
  }

  #statusOf({ model, permissionMode }: Pick<SessionRecord, 'model' | 'permissionMode'>): SessionHappening {
    const servers = sessionServers(this.#box.catalog());
    return { type: 'session_status', ...(model === '' ? {} : { model }), permissionMode, servers };
  }

  async #approvalOf(id: string, toolCallId: string): Promise<string> {
    const { turnSeq } = await this.#find(id);
    let approval = this.#turns.of(id)?.approvals.of(toolCallId);
    if (approval !== undefined) return approval;
    // It was answered before, or the turn runs elsewhere: the inbox knows.
    for await (const event of readEvents(this.#box.sessionStore, id, Math.max(0, turnSeq - 1)))
      if (event.type === 'approval_required' && event.toolCallId === toolCallId) approval = event.approvalId;
    if (approval !== undefined) return approval;
    throw new SignalboxError(
      'approval-unknown',
      `no call waits under ${JSON.stringify(toolCallId)}; those that do are told as "approval_required"`,
    );
  }

  #agent(name: string): Agent {
    const agent = this.#agents.list().find((one) => one.name === name);
    if (agent === undefined) throw new SignalboxError('agent-unknown', noSuchAgent(name, this.#agents));
    return agent;
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

function cursorOf(next: string): { readonly activeAt: number; readonly id: string } {
  const [, activeAt, id] = /^(\d{1,15})\.(\w+)$/.exec(next) ?? [];
  if (activeAt === undefined || id === undefined)
    throw new SignalboxError('session-invalid', '"after" must be the "next" of the page before');
  return { activeAt: Number(activeAt), id };
}
