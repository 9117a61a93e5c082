import type { JsonObject } from '../core/json/json.ts';
import type { PermissionMode } from '../core/calls/permission-mode.ts';
import type { Principal } from '../core/principal.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import type { SessionEvent } from '../sessions/events/session-event.ts';
import type { NewSession, Sessions } from '../sessions/sessions.ts';
import { createSignalbox } from '../signalbox/create-signalbox.ts';
import type { Signalbox } from '../signalbox/signalbox.ts';
import { createSessions } from './create-sessions.ts';
import { omitUndefined } from '../core/omit-undefined.ts';

/** Options of `query`. */
export interface QueryOptions {
  /** The runtime that drives the turn, such as `claudeCli()`. `query` does not close it. */
  readonly runtime: Runtime;
  /** The box whose tools the agent uses: one without servers unless given. */
  readonly box?: Signalbox;
  readonly model?: string;
  readonly instructions?: string;
  readonly profile?: string;
  readonly cwd?: string;
  readonly permissionMode?: PermissionMode;
  /** Interrupts the turn. */
  readonly signal?: AbortSignal;
}

/** One session, for a program that holds it. */
export interface SessionClient {
  readonly id: string;
  /** Sends a message and yields the events of its turn, up to `done`. Leaving the loop early interrupts the turn. */
  send(content: string, options?: { readonly signal?: AbortSignal }): AsyncGenerator<SessionEvent, void>;
  /** Approves the call of an `approval_required` event. */
  approve(toolCallId: string): Promise<void>;
  /** Denies the call of an `approval_required` event. */
  deny(toolCallId: string, reason?: string): Promise<void>;
  /** Answers a `question_prompt` event. */
  answer(toolCallId: string, answers: JsonObject): Promise<void>;
  /** Interrupts the running turn; `false` when none is running. */
  interrupt(): Promise<boolean>;
}

const program: Principal = { id: 'program', kind: 'human' };

/** Creates a session, or continues the one with the given `id`. `by` is the human in whose name messages and answers are recorded. */
export async function createSessionClient(
  sessions: Sessions,
  { id, by = program, ...request }: NewSession & { readonly id?: string; readonly by?: Principal } = {},
): Promise<SessionClient> {
  const session = id === undefined ? await sessions.create(request, by) : await sessions.get(id);
  return {
    id: session.id,
    send: (content, options) => sendAndFollow(sessions, session.id, content, by, options?.signal),
    approve: (toolCallId) => sessions.approve(session.id, toolCallId, { by }),
    deny: (toolCallId, reason) => sessions.deny(session.id, toolCallId, { by, ...omitUndefined({ reason }) }),
    answer: (toolCallId, answers) => sessions.answer(session.id, toolCallId, answers, by),
    interrupt: () => sessions.interrupt(session.id),
  };
}

async function* sendAndFollow(
  sessions: Sessions,
  id: string,
  content: string,
  by: Principal,
  signal: AbortSignal | undefined,
): AsyncGenerator<SessionEvent, void> {
  signal?.throwIfAborted();
  const { turnId, afterSeq } = await sessions.send(id, content, by);
  const following = new AbortController();
  const interrupt = (): void => void sessions.interrupt(id).catch(() => undefined);
  signal?.addEventListener('abort', interrupt, { once: true });
  let isOwn = false;
  let isDone = false;
  try {
    for await (const event of sessions.events(id, { after: afterSeq, signal: following.signal })) {
      // Turns that were queued before this one end first.
      isOwn ||= event.type === 'user_message' && event.turnId === turnId;
      if (!isOwn) continue;
      isDone = event.type === 'done';
      yield event;
      if (isDone) return;
    }
  } finally {
    signal?.removeEventListener('abort', interrupt);
    following.abort();
    if (!isDone) await sessions.interrupt(id).catch(() => false);
  }
}

/**
 * Runs one turn of a new session and yields its events, up to `done`. Tool calls pass through the pipeline of the box: they are decided,
 * approved through `approve` of `createSignalbox`, recorded, and can be undone.
 *
 * @example
 * for await (const event of query('Summarize the README', { box, runtime: claudeCli() }))
 *   if (event.type === 'text_delta') process.stdout.write(event.text);
 */
export async function* query(prompt: string, options: QueryOptions): AsyncGenerator<SessionEvent, void> {
  const { runtime, signal, permissionMode, cwd, model, instructions, profile } = options;
  const box = options.box ?? (await createSignalbox());
  try {
    const sessions = await createSessions(box, {
      agents: { agent: { runtime, ...omitUndefined({ model, instructions, profile }) } },
      ...omitUndefined({ cwd }),
    });
    try {
      const client = await createSessionClient(sessions, omitUndefined({ permissionMode }));
      yield* client.send(prompt, omitUndefined({ signal }));
    } finally {
      await sessions.close({ graceMs: 0 });
    }
  } finally {
    if (options.box === undefined) await box.close();
  }
}
