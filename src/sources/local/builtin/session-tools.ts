import * as z from 'zod';
import { SignalboxError } from '../../../core/errors.ts';
import { type OwnTool, defineTool } from '../define-tool.ts';
import { type Caller, found, standingOf } from './caller.ts';
import type { SessionBook, SessionFacts } from './session-book.ts';
import { resolve } from 'node:path';

const cwd = z.string().optional().describe('Only sessions in this working directory.');

/** The built-in tools about sessions. */
export function sessionTools(dependencies: SessionCountDependencies): OwnTool[] {
  const { sessions } = dependencies;
  return [
    defineTool({
      name: 'get_session_count',
      description:
        'Counts the sessions (conversations with agents) of a working directory: those of Signalbox, and those that Claude Code has stored.',
      input: z.object({
        cwd: z
          .string()
          .optional()
          .describe('The working directory; by default that of the session, or else the default directory.'),
      }),
      output: z.object({
        count: z.int().describe('Both kinds together.'),
        cwd: z.string(),
        signalbox: z.int().describe('Sessions of Signalbox.'),
        claude_code: z.int().describe('Transcripts of Claude Code that belong to no session of Signalbox.'),
      }),
      effect: 'read',
      idempotent: true,
      run: (args, context) => sessionCount(dependencies, args, context),
    }),
    defineTool({
      name: 'list_sessions',
      description: 'Lists sessions with their title, agent, working directory and state, last active first.',
      input: z.object({
        cwd,
        limit: z.int().min(1).max(100).default(20).describe('How many at most.'),
        after: z.string().optional().describe('The "next" of the page before.'),
      }),
      effect: 'read',
      idempotent: true,
      run: (args, context) => listSessions(sessions, args, context),
    }),
    defineTool({
      name: 'get_session_details',
      description:
        'Returns the details of one session: agent, model, working directory, permission mode, state, times, waiting turns.',
      input: z.object({ id: z.string().describe('The id of the session.') }),
      effect: 'read',
      idempotent: true,
      run: (args, context) => sessionDetails(sessions, args, context),
    }),
    defineTool({
      name: 'list_active_sessions',
      description: 'Lists the sessions in which a turn runs now or waits for a human.',
      input: z.object({}),
      effect: 'read',
      idempotent: true,
      run: (_, context) => listActiveSessions(sessions, context),
    }),
  ];
}

/** Which sessions are wanted. */
export interface ListSessionsArguments {
  readonly cwd?: string | undefined;
  readonly limit: number;
  readonly after?: string | undefined;
}

/** One session in a list. */
export type SessionLine = Pick<SessionFacts, 'id' | 'title' | 'agent' | 'cwd' | 'state' | 'activeAt'>;

/** What `list_sessions` and `list_active_sessions` answer. */
export interface SessionList {
  readonly sessions: readonly SessionLine[];
  /** Where to go on with `after`; absent at the end. */
  readonly next?: string;
}

/** Lists the sessions that the caller may know of, last active first. */
export async function listSessions(
  sessions: SessionBook,
  { cwd, limit, after }: ListSessionsArguments,
  caller: Caller,
  active = false,
): Promise<SessionList> {
  const { only } = await standingOf(caller, sessions);
  const { items, next } = await sessions.list({
    limit,
    ...(cwd === undefined ? {} : { cwd }),
    ...(after === undefined ? {} : { after }),
    ...(only === undefined ? {} : { owner: only }),
    ...(active ? { active } : {}),
  });
  return { sessions: items.map(line), ...(next === undefined ? {} : { next }) };
}

/** Lists those of them whose turn runs or waits. */
export async function listActiveSessions(sessions: SessionBook, caller: Caller): Promise<SessionList> {
  return await listSessions(sessions, { limit: 100 }, caller, true);
}

function line({ id, title, agent, cwd, state, activeAt }: SessionFacts): SessionLine {
  return { id, title, agent, cwd, state, activeAt };
}

/** Dependencies of `get_session_count`. */
export interface SessionCountDependencies {
  readonly sessions: SessionBook;
  /** The default directory of sessions. */
  readonly directory: string;
  /** Counts the conversations of a directory that Claude Code has stored and that are not sessions of Signalbox. */
  claudeTranscripts(cwd: string): Promise<number>;
}

/** What `get_session_count` answers. */
export interface SessionCount {
  /** Both kinds together. */
  readonly count: number;
  /** The directory they are counted for. */
  readonly cwd: string;
  /** Sessions of Signalbox that the caller may see. */
  readonly signalbox: number;
  /** Conversations that Claude Code has stored and that are not sessions of Signalbox. */
  readonly claude_code: number;
}

/** Counts the sessions of a directory: the given one, that of the caller's session, or the default one. */
export async function sessionCount(
  { sessions, directory, claudeTranscripts }: SessionCountDependencies,
  args: { readonly cwd?: string | undefined },
  caller: Caller,
): Promise<SessionCount> {
  const { session, only } = await standingOf(caller, sessions);
  const near = session?.cwd ?? directory;
  const cwd = args.cwd === undefined ? near : resolve(near, args.cwd);
  const [signalbox, claudeCode] = await Promise.all([
    sessions.count({ cwd, ...(only === undefined ? {} : { owner: only }) }),
    claudeTranscripts(cwd),
  ]);
  return { count: signalbox + claudeCode, cwd, signalbox, claude_code: claudeCode };
}

/** What `get_session_details` answers. */
export type SessionDetails = Omit<SessionFacts, 'owner'> & { readonly owner: string };

/** Tells of one session, if the caller may know of it. */
export async function sessionDetails(
  sessions: SessionBook,
  { id }: { readonly id: string },
  caller: Caller,
): Promise<SessionDetails> {
  const { only } = await standingOf(caller, sessions);
  const session = await found(sessions, id);
  // One message for both: whoever may not see a session learns nothing about it.
  if (session === undefined || (only !== undefined && session.owner.id !== only))
    throw new SignalboxError('session-unknown', `there is no session ${id.slice(0, 100)} that you can see`);
  const { title, agent, model, cwd, state, permissionMode, owner, createdAt, activeAt, queued } = session;
  const { forkedFrom, lastTurn } = session;
  return {
    id: session.id,
    title,
    agent,
    ...(model === undefined ? {} : { model }),
    cwd,
    state,
    permissionMode,
    owner: owner.id,
    createdAt,
    activeAt,
    queued,
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
    ...(lastTurn === undefined ? {} : { lastTurn }),
  };
}
